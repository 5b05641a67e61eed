import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../src/kit/index.ts';
import { gzippedWarc, linking, type MadePage } from './warc-writer.ts';

const WORDS = {
  rail: 'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine coupling boiler freight',
  kitchen: 'flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan roast pastry yeast',
  common: 'people place world year often later small large work name story great many number side',
} as const;
type Subject = 'rail' | 'kitchen';

const PER_SUBJECT = 40;

export const railPage = (i: number): string => `http://rail${i % 3}.two.test/page-${i}`;
export const kitchenPage = (i: number): string => `http://food${i % 3}.two.test/page-${i}`;

/**
 * Writes a folder with a frozen web `two` and its tasks: 40 pages on railways and 40 on cooking, linked mostly within
 * their subject.
 */
export function writeTwoTopics(folder: string): { readonly tasks: string; readonly webs: string } {
  const random = seededRandom(11);
  const pages = [
    ...Array.from({ length: PER_SUBJECT }, (_, i) => madePage('rail', i, random)),
    ...Array.from({ length: PER_SUBJECT }, (_, i) => madePage('kitchen', i, random)),
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'two.warc.gz'), gzippedWarc(pages));
  writeFileSync(join(folder, 'two.labels.tsv'), labelLines().join('\n'));
  const tasks = join(folder, 'tasks.json');
  writeFileSync(
    tasks,
    JSON.stringify([task('two/rail', 'plain', [0, 1, 2].map(railPage)), task('two/near', 'near', [kitchenPage(7)])]),
  );
  return { tasks, webs: folder };
}

/** Leaves every tenth page of each subject unjudged. */
function labelLines(): string[] {
  const judged = Array.from({ length: PER_SUBJECT }, (_, i) => i).filter((i) => i % 10 !== 9);
  return judged.flatMap((i) => [`${railPage(i)}\tTransport/Railways`, `${kitchenPage(i)}\tHome`]);
}

function task(id: string, kind: string, seeds: readonly string[]): object {
  return {
    id,
    web: 'two',
    kind,
    topics: { railways: ['Transport'] },
    examples: { railways: [0, 1, 2].map(railPage) },
    seeds,
    others: [0, 1, 2, 3, 4, 5].map(kitchenPage),
    budget: 30,
    baseline: { bfs: 0.5 },
  };
}

function madePage(subject: Subject, i: number, random: () => number): MadePage {
  const pageOf = { rail: railPage, kitchen: kitchenPage };
  const other = subject === 'rail' ? 'kitchen' : 'rail';
  const draw = (words: string): string => words.split(' ')[Math.floor(random() * 15)] ?? '';
  const text = Array.from({ length: 80 }, () => draw(random() < 0.4 ? WORDS[subject] : WORDS.common)).join(' ');
  const links = Array.from({ length: 6 }, () => {
    const to = random() < 0.7 ? subject : other;
    return pageOf[to](Math.floor(random() * PER_SUBJECT));
  });
  return linking(pageOf[subject](i), `${subject} ${i}`, text, [...links, 'http://elsewhere.test/gone']);
}
