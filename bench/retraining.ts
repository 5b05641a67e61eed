import {
  DEFAULTS,
  type DocumentFeatures,
  type FeatureSpace,
  type TermCounts,
  type TopicId,
  topicTree,
} from '../src/core/index.ts';
import { ModelTrainer, type TrainingItem } from '../src/engine/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import { table } from './table.ts';

/** A round of training over the product's own trainer: everything between bags of words and a model. */
export interface RetrainingRow {
  readonly documents: number;
  readonly features: number;
  readonly spaces: readonly FeatureSpace[];
  /** The first round, which numbers the words of all documents. */
  readonly firstMs: number;
  /** A later round, with 5 new documents. */
  readonly nextMs: number;
  /** CPU of the later round, helper threads of the runtime included. */
  readonly nextCpuMs: number;
}

const SIZES = [300, 1_000] as const;
const SPACES: readonly FeatureSpace[] = ['terms', 'pairs', 'anchors'];
const FEATURES = 2_000;
/** Distinct features of a document, by space: about what the pages of our frozen webs have. */
const DISTINCT: Readonly<Record<FeatureSpace, number>> = {
  terms: 300,
  pairs: 400,
  anchors: 20,
  neighbours: 100,
  lead: 40,
  form: 150,
  meaning: 100,
};
const VOCABULARY: Readonly<Record<FeatureSpace, number>> = {
  terms: 30_000,
  pairs: 200_000,
  anchors: 5_000,
  neighbours: 30_000,
  lead: 20_000,
  form: 5_000,
  meaning: 256,
};
const POSITIVE_SHARE = 0.04;
const NEW_DOCUMENTS = 5;
const LATER_ROUNDS = 5;
const TOPIC = 'topic' as TopicId;
const ROOT = '' as TopicId;

/** Trains one topic on made-up documents: a first round, then rounds in each of which some pages are new. */
export function retrainingRows(): { rows: readonly RetrainingRow[]; text: string } {
  const rows = SIZES.map(measure);
  const head = ['documents', 'features', 'spaces', 'first round ms', 'later round ms', 'its CPU ms'];
  const cells = rows.map((row) => [
    String(row.documents),
    String(row.features),
    row.spaces.join(', '),
    row.firstMs.toFixed(0),
    row.nextMs.toFixed(0),
    row.nextCpuMs.toFixed(0),
  ]);
  return { rows, text: table(head, cells) };
}

function measure(documents: number): RetrainingRow {
  const learn = { ...DEFAULTS.learn, spaces: SPACES, features: FEATURES };
  const trainer = new ModelTrainer({ tree: topicTree([{ name: 'topic' }], []), learn, seed: 1 });
  const random = seededRandom(1);
  const items: TrainingItem[] = [];
  const add = (): void => {
    const isOwn = items.length < 10 || random() < POSITIVE_SHARE;
    const key = String(items.length);
    trainer.add(key, madeUp(isOwn, random));
    items.push({ key, topic: isOwn ? TOPIC : ROOT, others: !isOwn, origin: isOwn ? 'user' : 'others' });
  };
  while (items.length < documents) add();
  const first = performance.now();
  trainer.trainNow({ items, background: [], model: 1 });
  const firstMs = performance.now() - first;
  let ms = 0;
  let cpu = 0;
  for (let round = 0; round < LATER_ROUNDS; round++) {
    for (let i = 0; i < NEW_DOCUMENTS; i++) add();
    const began = { at: performance.now(), cpu: process.cpuUsage() };
    trainer.trainNow({ items: items.slice(-documents), background: [], model: 2 + round });
    ms += performance.now() - began.at;
    const used = process.cpuUsage(began.cpu);
    cpu += (used.user + used.system) / 1000;
  }
  const nextMs = ms / LATER_ROUNDS;
  return { documents, features: FEATURES, spaces: SPACES, firstMs, nextMs, nextCpuMs: cpu / LATER_ROUNDS };
}

/** Features after Zipf's law, one in five from the words of its side. */
function madeUp(isOwn: boolean, random: () => number): DocumentFeatures {
  const bag = (space: FeatureSpace): TermCounts => {
    const counts = new Map<string, number>();
    while (counts.size < DISTINCT[space]) {
      const rank = Math.floor(VOCABULARY[space] ** random());
      const name = random() < 0.2 ? `${isOwn ? 'own' : 'other'}${rank}` : `word${rank}`;
      counts.set(name, Math.min(60_000, (counts.get(name) ?? 0) + 1));
    }
    return { features: [...counts.keys()].join('\n'), counts: Uint16Array.from(counts.values()) };
  };
  return Object.fromEntries(SPACES.map((space) => [space, bag(space)]));
}
