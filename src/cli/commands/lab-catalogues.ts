import { UsageError } from '../../core/index.ts';
import { percent, safeJson } from '../../kit/index.ts';
import {
  CATALOGUE_GOAL,
  CATALOGUE_KINDS,
  type CatalogueKind,
  type CatalogueScore,
  labCatalogues,
} from '../../lab/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';
import { readLabSettings } from './lab.ts';

const GOAL = `${100 * CATALOGUE_GOAL.share} %`;

export const labCataloguesCommand: Command = {
  name: 'lab catalogues',
  summary: 'Crawl honest catalogues with and without the trap guard, and compare the pages found.',
  positionals: [],
  flags: {
    seed: { value: 'N', help: 'Random seed of the catalogues. Default: 1.' },
    only: { value: 'KINDS', help: `Only these, separated by commas. Known: ${CATALOGUE_KINDS.join(', ')}.` },
    set: { value: 'KEY=VALUE', repeats: true, help: 'A setting of both crawls, such as --set traps.sectionPages=0.' },
    json: { help: 'One JSON object per catalogue.' },
  },
  examples: [['bingo lab catalogues --seed 2', 'Eight catalogues generated from this seed; takes a minute or two.']],
  notes: [
    'Each catalogue is a site of 120 to 300 pages with similar wording, about half of them on the topic. 24 sites of other subjects surround it. ' +
      'Pages are read from memory, one at a time. The same seed gives the same result.',
    `The goal: ${GOAL} of what a crawl without the guard finds, within ${CATALOGUE_GOAL.fetches} times its fetches. ` +
      'bingo lab traps measures the other side of the guard.',
  ],
  run: runCatalogues,
};

async function runCatalogues(args: Args, io: Io): Promise<number> {
  const seed = readCount('--seed', args.value('seed'), 1, { min: 0 });
  const kinds = kindsOf(args.value('only'));
  const isJson = args.has('json');
  if (!isJson) await io.out(HEAD);
  for await (const score of labCatalogues(seed, readLabSettings(args.values('set')), kinds))
    await io.out(isJson ? `${safeJson(score)}\n` : line(score));
  return EXIT.done;
}

function kindsOf(text: string | undefined): readonly CatalogueKind[] {
  if (text === undefined) return CATALOGUE_KINDS;
  return text.split(',').map((name) => {
    const kind = CATALOGUE_KINDS.find((known) => known === name.trim());
    if (kind === undefined)
      throw new UsageError(`Unknown catalogue: ${name}.`, `Known are: ${CATALOGUE_KINDS.join(', ')}.`);
    return kind;
  });
}

const HEAD = `catalogue    relevant   fetches   found by ${CATALOGUE_GOAL.fetches} times as many   at all\n`;

function line({ kind, relevant, fetches, found, foundAtAll, goal }: CatalogueScore): string {
  const missed = goal ? '' : '   goal missed';
  return `${kind.padEnd(12)}${String(relevant).padStart(9)}${String(fetches).padStart(10)}${percent(found, 1).padStart(29)}${percent(foundAtAll, 1).padStart(9)}${missed}\n`;
}
