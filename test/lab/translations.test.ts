import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FrozenWeb, labTranslations, readLabels, readTasks } from '../../src/lab/index.ts';

const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };

/** Writes a manual with two chapters of eight sections, in English and German. */
function manual(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-manual-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const page = (up: string, text: string) =>
    `<html><head><link rel="up" href="${up}"></head><body>${text}</body></html>`;
  for (const [language, word] of [
    ['en', 'section'],
    ['de', 'Abschnitt'],
  ] as const) {
    mkdirSync(join(folder, language));
    writeFileSync(join(folder, language, 'index.html'), '<a href="apt.html">apt</a><a href="net.html">net</a>');
    for (const chapter of ['apt', 'net']) {
      writeFileSync(join(folder, language, `${chapter}.html`), page('index.html', chapter));
      for (let n = 1; n <= 8; n++)
        writeFileSync(join(folder, language, `${chapter}-${n}.html`), page(`${chapter}.html`, `${word} ${n}`));
    }
  }
  writeFileSync(join(folder, 'en', 'only-english.html'), page('apt.html', 'more'));
  return folder;
}

test('translations become webs with equal pages, labels and tasks', async () => {
  const folder = manual();
  const out = join(folder, 'out');
  expect(await labTranslations({ manual: folder, out, languages: ['en', 'de'], seed: 1, draws: 2 }, io)).toBe(0);
  const [english, german] = [
    await FrozenWeb.open(join(out, 'en.warc.gz')),
    await FrozenWeb.open(join(out, 'de.warc.gz')),
  ];
  expect([...german.urls()]).toEqual([...english.urls()]);
  expect([...german.urls()]).toHaveLength(19);
  expect(String(german.page('http://manual.test/apt-1.html' as never)?.body)).toContain('Abschnitt 1');
  expect(readFileSync(join(out, 'de.labels.tsv'), 'utf8')).toBe(readFileSync(join(out, 'en.labels.tsv'), 'utf8'));
  expect(
    [...(await readLabels(join(out, 'en.labels.tsv'))).values()].filter(([chapter]) => chapter === 'apt'),
  ).toHaveLength(8);
  const tasks = await readTasks(join(out, 'tasks.json'));
  expect(tasks.map(({ id }) => id)).toEqual([
    ...['en/apt-draw1', 'en/apt-draw2', 'en/net-draw1', 'en/net-draw2'],
    ...['de/apt-draw1', 'de/apt-draw2', 'de/net-draw1', 'de/net-draw2'],
  ]);
  const [first, , , , same] = tasks;
  expect({ ...same, id: first!.id, web: first!.web }).toEqual(first);
  for (const web of [english, german]) web.close();
});

test('a manual without a named language or without chapters is rejected', async () => {
  const folder = manual();
  const make = (languages: readonly string[]) =>
    labTranslations({ manual: folder, out: join(folder, 'out'), languages, seed: 1, draws: 1 }, io);
  await expect(make(['en', 'fr'])).rejects.toMatchObject({ message: `${join(folder, 'fr')} has no HTML pages.` });
  rmSync(join(folder, 'de', 'apt-1.html'));
  rmSync(join(folder, 'de', 'apt-2.html'));
  rmSync(join(folder, 'de', 'apt-3.html'));
  rmSync(join(folder, 'de', 'net.html'));
  await expect(make(['en', 'de'])).rejects.toMatchObject({ hint: expect.stringContaining('rel="up"') });
});
