import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Config, DEFAULTS, type FetchedPage, topicTree } from '../../../src/core/index.ts';
import { type Analysis, analyzerSettings, PageAnalyzer } from '../../../src/engine/index.ts';
import { openInlineExamples, readTrainingDocuments } from '../../../src/workbench/reading/training-documents.ts';
import { readDocumentFolder } from '../../../src/workbench/sources/document-folder.ts';

const dir = mkdtempSync(join(tmpdir(), 'bingo-documents-'));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

const THREADS = 3;
const config: Config = { ...DEFAULTS, analyze: { ...DEFAULTS.analyze, threads: THREADS } };

/** Topics of so many texts each; the one numbered `broken` is empty, and so cannot be read. */
function treeOf(name: string, files: number, broken = -1): ReturnType<typeof topicTree> {
  for (const topic of ['rail', 'food']) {
    mkdirSync(join(dir, name, topic), { recursive: true });
    for (let i = 0; i < files; i++) {
      const text = i === broken ? '' : `The ${topic} text number ${i} tells of many words about ${topic}.`;
      writeFileSync(join(dir, name, topic, `${String(i).padStart(3, '0')}.txt`), text);
    }
  }
  const { topics } = readDocumentFolder(join(dir, name));
  const others = [{ kind: 'text', name: 'asked', text: 'bread' }] as const;
  return topicTree(topics, others);
}

/** Answers late, and the later ones before the earlier ones. */
class SlowAnalyzer {
  readonly #analyzer = new PageAnalyzer(analyzerSettings(config));
  #asked = 0;
  underWay = 0;
  most = 0;

  async analyze(page: FetchedPage, mode: 'learning' | 'harvesting'): Promise<Analysis> {
    this.most = Math.max(this.most, ++this.underWay);
    await new Promise((resolve) => setTimeout(resolve, 10 - 4 * (this.#asked++ % 3)));
    this.underWay--;
    return await this.#analyzer.analyze(page, mode);
  }
}

test('are read in parallel, in the order of bingo.yaml, with queries in their place', async () => {
  const tree = treeOf('many', 12, 4);
  const analyzer = new SlowAnalyzer();
  const heard: string[] = [];
  const onRead = (read: number, total: number) => heard.push(`${read}/${total}`);
  const { inline, unreadable } = await readTrainingDocuments({ dir, tree, config, onRead }, analyzer);
  const oneByOne: string[] = [];
  for (const { examples, others } of tree.nodes.values())
    for (const example of [...examples, ...others])
      oneByOne.push(example.kind === 'file' ? example.path.slice(dir.length + 1) : 'asked');
  expect(inline.map(({ key }) => key)).toEqual(oneByOne.filter((key) => !key.endsWith('004.txt')));
  expect(inline.filter(({ others }) => others).map(({ key, topic }) => [key, topic])).toEqual([['asked', '']]);
  expect(unreadable.map(({ file }) => file)).toEqual(oneByOne.filter((key) => key.endsWith('004.txt')));
  expect(inline.find(({ key }) => key.endsWith('rail/007.txt'))?.document.text).toContain('rail text number 7');
  expect(analyzer.most).toBe(2 * THREADS);
  expect(heard).toEqual(Array.from({ length: 24 }, (_, i) => `${i + 1}/24`));
});

test('are not read further if no thread is available', async () => {
  const tree = treeOf('threadless', 12);
  let asked = 0;
  const analyze = async (): Promise<Analysis> => {
    asked++;
    throw new Error('no threads');
  };
  await expect(readTrainingDocuments({ dir, tree, config }, { analyze })).rejects.toThrow('no threads');
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(asked).toBeLessThanOrEqual(2 * THREADS);
});

test('are the same from worker threads as from the main thread', async () => {
  const tree = treeOf('threads', 60);
  const single: Config = { ...config, analyze: { ...config.analyze, threads: 1 } };
  const here = await openInlineExamples({ dir, tree, config: single });
  const threads = await openInlineExamples({ dir, tree, config });
  expect(threads).toHaveLength(121);
  const brief = (all: typeof here) =>
    all.map(({ key, topic, others, document: { text, title, features } }) => {
      const { features: terms, counts } = features.terms!;
      return { key, topic, others, text, title, terms, counts: [...counts] };
    });
  expect(brief(threads)).toEqual(brief(here));
});

test('a file beyond the page size limit is skipped by name and not read', async () => {
  const tree = treeOf('large', 2);
  const file = join(dir, 'large', 'rail', '001.txt');
  // Sparse: it takes no room.
  truncateSync(file, 50 * 2 ** 30);
  const { inline, unreadable } = await readTrainingDocuments({ dir, tree, config }, new SlowAnalyzer());
  expect(unreadable).toEqual([{ file: 'large/rail/001.txt', why: 'it has 50 GiB; network.maxBodyBytes allows 8 MiB' }]);
  expect(inline).toHaveLength(4);
});
