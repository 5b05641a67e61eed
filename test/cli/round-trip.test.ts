import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopicSpec } from '../../src/core/index.ts';
import { openInlineExamples } from '../../src/workbench/reading/training-documents.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import { page } from '../contracts/store-records.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `topics:
  - name: databases
    examples: [https://a.example/]
    topics:
      - name: recovery & "logs" <1>
        examples: [https://b.example/]
      - name: '=cmd'
        examples: [https://d.example/]
others: [https://o.example/]
`;
const RECOVERY = 'databases/recovery & "logs" <1>';

let made: MadeWorkspace;
let root: string;

beforeAll(async () => {
  made = await makeWorkspace(YAML, [
    (n) => page(n, 'https://a.example/?x=1&y=%22', { topic: 'databases' }),
    (n) =>
      page(n, 'https://b.example/', { topic: RECOVERY, document: { title: 'A, "b"\n<c>', text: 'Undo and redo.' } }),
    (n) => page(n, 'https://d.example/', { topic: 'databases/=cmd', document: { title: '=1+1' } }),
    (n) => page(n, 'https://o.example/', { others: true }),
  ]);
  root = mkdtempSync(join(tmpdir(), 'bingo-round-trip-'));
});
afterAll(() => {
  made.drop();
  rmSync(root, { recursive: true });
});

/** Returns `topic url` for every example. */
function examplesOf(topics: readonly TopicSpec[], above = ''): readonly string[] {
  return topics.flatMap((topic) => {
    const own = (topic.examples ?? []).flatMap((e) => (e.kind === 'url' ? [`${above}${topic.name} ${e.url}`] : []));
    return [...own, ...examplesOf(topic.topics ?? [], `${above}${topic.name}/`)];
  });
}

const PAGES = [
  'databases https://a.example/?x=1&y=%22',
  `${RECOVERY} https://b.example/`,
  'databases/=cmd https://d.example/',
];

describe('what bingo export writes', () => {
  it.each([
    ['bookmarks', 'pages.html', '--bookmarks'],
    ['opml', 'pages.opml', '--opml'],
    ['jsonl', 'pages.jsonl', '--urls'],
    ['csv', 'pages.csv', '--urls'],
  ])('as %s makes the same topics with the same pages again', async (format, name, flag) => {
    const file = join(root, name);
    expect((await run(['export', made.dir, '--format', format, '--out', file])).code).toBe(0);
    const dir = join(root, `again-${format}`);
    expect(await run(['init', dir, flag, file])).toMatchObject({ code: 0 });
    expect([...examplesOf(loadWorkspace(dir).topics)].sort()).toEqual([...PAGES].sort());
  });

  it('as a corpus can be learned from, by its texts and not by their headers', async () => {
    const texts = join(root, 'texts');
    expect((await run(['export', made.dir, '--format', 'corpus', '--out', texts])).code).toBe(0);
    expect(readdirSync(texts).length).toBeGreaterThanOrEqual(3);
    const dir = join(root, 'again-corpus');
    const { code } = await run(['init', dir, '--documents', texts, '--seed', 'https://a.example/']);
    expect(code).toBe(0);
    const workspace = loadWorkspace(dir);
    const examples = await openInlineExamples({ ...workspace, dir });
    const undo = examples.find(({ document }) => document.text.includes('Undo and redo.'));
    expect(examples).toHaveLength(3);
    expect(undo?.document.text.trim()).toBe('Undo and redo.');
  });
});
