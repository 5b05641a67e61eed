/**
 * `npm run bench:many-topics`: time and memory of training trees of hundreds of topics side by side, as bookmarks in folders give them, through the
 * product's own trainer, with a heap kept small as that of its commands. Documents are made up; some of each topic are archetypes, and fetched pages stand in for OTHERS.
 */
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS, type DocumentFeatures, type TopicId, topicTree } from '../src/core/index.ts';
import { ModelTrainer, type TrainingItem } from '../src/engine/index.ts';
import { type Random, seededRandom } from '../src/kit/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:many-topics -- [options]

  --topics a,b    numbers of topics, the least first (default 25,100,400)
  --examples N    training pages of each (default 25)
`;

const VOCABULARY = 50_000;
/** Distinct words of a page at the least and at the most. */
const DISTINCT = [50, 250] as const;
/** Words of a topic's own, and their share among its pages' words. */
const OWN_WORDS = 300;
const OWN_SHARE = 0.15;
const ARCHETYPES = 3;
/** Fetched pages: rejected ones, those of them that may stand in for OTHERS, accepted ones. */
const FETCHED = { background: 500, candidates: 300, accepted: 400 } as const;

const flags = readFlags({
  topics: { type: 'string', default: '25,100,400' },
  examples: { type: 'string', default: '25' },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else main();

function main(): void {
  const before = peakMb();
  const rows = flags.topics.split(',').map((topics) => measure(Number(topics), Number(flags.examples)));
  const head = ['topics', 'training pages', 'CPU s', 'model MB', 'greatest memory MB'];
  process.stdout.write(`${machine()}\n\n${table(head, rows)}\n\nBefore any training: ${before} MB.\n`);
}

function measure(topics: number, examples: number): string[] {
  const random = seededRandom(7);
  const names = Array.from({ length: topics }, (_, topic) => `topic ${topic}`);
  const tree = topicTree(
    names.map((name) => ({ name })),
    [],
  );
  const trainer = new ModelTrainer({ tree, learn: DEFAULTS.learn, seed: 1 });
  const items = names.flatMap((name, topic) =>
    Array.from({ length: examples }, (_, i): TrainingItem => {
      const key = `${name}, page ${i}`;
      trainer.add(key, madeUp(random, topic));
      const origin = i < examples - ARCHETYPES ? 'user' : 'archetype-by-confidence';
      return { key, topic: name as TopicId, others: false, origin };
    }),
  );
  const fetched = (kind: keyof typeof FETCHED): string[] =>
    Array.from({ length: FETCHED[kind] }, (_, i) => {
      trainer.add(`${kind} ${i}`, madeUp(random, kind === 'accepted' ? i % topics : undefined));
      return `${kind} ${i}`;
    });
  const request = {
    items,
    background: fetched('background'),
    candidates: fetched('candidates'),
    accepted: fetched('accepted'),
  };
  const began = process.cpuUsage();
  const { blob } = trainer.trainNow({ ...request, model: 1 });
  const { user, system } = process.cpuUsage(began);
  const cpu = ((user + system) / 1e6).toFixed(1);
  return [String(topics), String(items.length), cpu, (blob.length / 1e6).toFixed(1), peakMb()];
}

/** A page after Zipf's law, some of its words from those of its topic. */
function madeUp(random: Random, topic: number | undefined): DocumentFeatures {
  const counts = new Map<string, number>();
  const [least, most] = DISTINCT;
  const distinct = Math.floor(least + (most - least) * random());
  while (counts.size < distinct) {
    const isOwn = topic !== undefined && random() < OWN_SHARE;
    const word = isOwn
      ? `own${topic} ${Math.floor(OWN_WORDS ** random())}`
      : `word${Math.floor(VOCABULARY ** random())}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return { terms: { features: [...counts.keys()].join('\n'), counts: Uint16Array.from(counts.values()) } };
}

/** The most that the process ever held. */
function peakMb(): string {
  return (process.resourceUsage().maxRSS / 1000).toFixed(0);
}
