import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InputError, topicTree } from '../../../src/core/index.ts';
import { curationFields, saveCurationFields } from '../../../src/workbench/export/curation-fields.ts';
import { startCuration } from '../../../src/workbench/export/curation-template.ts';
import { readCuration } from '../../../src/workbench/export/read-curation.ts';
import type { Workspace } from '../../../src/workbench/workspace/workspace.ts';

const tree = topicTree(
  [
    { name: 'cycling', examples: [], topics: [{ name: 'touring', examples: [] }] },
    { name: 'walking', examples: [] },
  ],
  [],
);
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-curation-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = (text: string) => {
  writeFileSync(join(dir, 'portal.yaml'), text);
  return readCuration({ dir, tree });
};

function mistakesOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof InputError) return error.mistakes.map(({ line, message }) => `${line}: ${message}`);
    throw error;
  }
  return [];
}

test('a workspace without portal.yaml has a portal without decisions', () => {
  expect(readCuration({ dir, tree })).toMatchObject({ theme: 'clear', language: 'en', topics: new Map() });
});

test('portal.yaml is read with topics in its order, pages in canonical form, and paragraphs', () => {
  writeFileSync(join(dir, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const curation = read(`title: On foot and by bike
introduction: |
  First.

  Second.
logo: logo.svg
colour: "#0a58a6"
language: de
hide: HTTPS://Example.org:443/a#b
topics:
  walking:
  cycling/touring:
    title: Reisen
    pin: [https://example.org/c, {url: https://example.org/d, note: Good.}]
    sections: [start]
`);
  expect(curation).toMatchObject({
    title: 'On foot and by bike',
    introduction: ['First.', 'Second.'],
    accent: [10, 88, 166],
  });
  expect(curation.hidden).toEqual(new Set(['https://example.org/a']));
  expect([...curation.topics.keys()]).toEqual(['walking', 'cycling/touring']);
  expect(curation.topics.get('cycling/touring' as never)).toMatchObject({
    title: 'Reisen',
    pinned: [
      { url: 'https://example.org/c', note: '' },
      { url: 'https://example.org/d', note: 'Good.' },
    ],
    sections: ['start'],
  });
  expect(curation.logo?.name).toBe('logo.svg');
});

test.each([
  ['titel: x', '1: portal.yaml has no such key.'],
  ['topics:\n  cyclin: {}', '2: The list of topics has no such key.'],
  ['topics:\n  cycling:\n    pin: nowhere', '3: This is not the URL of a page.'],
  ['colour: red', '1: Expected a colour as "#rrggbb".'],
  ['theme: loud', '1: Expected clear, paper, slate.'],
  ['logo: missing.png', '1: There is no file missing.png.'],
  ['logo: /etc/passwd', '1: Expected a picture (.svg, .png, .webp, .jpg, .jpeg).'],
  ['language: it', '1: Known are en, de, es, fr, zh.'],
  ['contact: somebody', '1: Expected a mail address or a URL.'],
  ['sections: [first]', '1: Expected start, map, cited, collections, links, new, dates, sites.'],
])('a mistake is named with its line: %j', (text, expected) => {
  expect(mistakesOf(text)).toEqual([expected]);
});

test('the fields of a form change their lines of portal.yaml; other choices and comments stay', () => {
  const workspace = { dir, tree, title: 'Bikes' } as unknown as Workspace;
  const text = `# Ours
title: Bikes # short
words: {start: Begin}
introduction: [First., Second.]
hide: https://example.org/a
topics:
  walking:
    # title: A name
  cycling:
    pin: [https://example.org/c, {url: https://example.org/d, note: Good.}]
    sections: [start]
`;
  writeFileSync(join(dir, 'portal.yaml'), text);
  const fields = curationFields(text, workspace)!;
  expect(fields).toMatchObject({
    ...{ title: 'Bikes', introduction: 'First.\n\nSecond.', theme: 'clear', hide: ['https://example.org/a'] },
    topics: [
      { topic: 'cycling', pin: [{ url: 'https://example.org/c', note: '' }, { note: 'Good.' }] },
      { topic: 'cycling/touring', title: '', pin: [] },
      { topic: 'walking', title: '' },
    ],
  });
  saveCurationFields(workspace, fields);
  expect(readFileSync(join(dir, 'portal.yaml'), 'utf8')).toContain('words: {start: Begin}');
  const [cycling, touring, walking] = fields.topics;
  saveCurationFields(workspace, {
    ...{ ...fields, title: 'Wheels', introduction: '', colour: '#0a58a6' },
    topics: [
      { ...cycling!, pin: cycling!.pin.slice(1) },
      { ...touring!, description: 'Long ways.' },
      { ...walking!, title: 'On foot' },
    ],
  });
  const saved = readFileSync(join(dir, 'portal.yaml'), 'utf8');
  expect(saved).toContain('title: Wheels # short');
  for (const kept of ['# Ours', '# title: A name', 'words: {start: Begin}', 'sections: [start]'])
    expect(saved).toContain(kept);
  expect(readCuration(workspace)).toMatchObject({ title: 'Wheels', introduction: [], accent: [10, 88, 166] });
  expect(curationFields(saved, workspace)!.topics).toMatchObject([
    { pin: [{ url: 'https://example.org/d', note: 'Good.' }] },
    { description: 'Long ways.' },
    { title: 'On foot' },
  ]);
  expect(() => saveCurationFields(workspace, { ...fields, colour: 'pink' })).toThrow(InputError);
  expect(readFileSync(join(dir, 'portal.yaml'), 'utf8')).toBe(saved);
  writeFileSync(join(dir, 'portal.yaml'), 'title: [');
  expect(curationFields('title: [', workspace)).toBeUndefined();
  expect(() => saveCurationFields(workspace, fields)).toThrow(InputError);
});

test('words of another language are taken from portal.yaml', () => {
  const { language, words } = read(
    'language: it\nwords:\n  search: Cerca\n  pages: {one: "{n} pagina", other: "{n} pagine"}\n',
  );
  expect([language, words]).toEqual(['it', { search: 'Cerca', pages: { one: '{n} pagina', other: '{n} pagine' } }]);
  expect(mistakesOf('words:\n  serch: x')).toEqual(['2: The list of words has no such key.']);
});

test('a portal.yaml to edit is valid as it is, and never replaces one', () => {
  const path = startCuration({ dir, tree } as Workspace);
  expect(readCuration({ dir, tree }).topics.size).toBe(3);
  const everything = readFileSync(path, 'utf8').replaceAll(/^( *)# (?=[a-z]+:|- | {2}- | {4})/gm, '$1');
  expect(everything).toContain('\nhide: ');
  expect(() => startCuration({ dir, tree } as Workspace)).toThrow('exists already');
});
