import { readdirSync } from 'node:fs';
import { UsageError } from '../../core/index.ts';
import { labTranslations } from '../../lab/index.ts';
import type { Args, Command, Io } from '../command.ts';
import { readCount } from '../read-count.ts';

export const labTranslationsCommand: Command = {
  name: 'lab translations',
  summary: 'Make frozen webs of a manual in several languages, with the same tasks on each.',
  positionals: ['DIR'],
  flags: {
    out: { value: 'DIR', help: 'Folder for the webs and tasks.json.' },
    only: { value: 'LANGUAGES', help: 'Folders of the manual, separated by commas; the first names the chapters.' },
    draws: { value: 'N', help: 'Draws of examples per chapter. Default: 3.' },
    seed: { value: 'N', help: 'Random seed. Default: 1.' },
  },
  examples: [
    ['bingo lab translations html --only en-US,de-DE,ja-JP --out webs', 'Three webs of the folders html/en-US, ….'],
    ['bingo lab table results --by web --against-web en-US', 'The gap to English, after bingo lab run.'],
  ],
  notes: [
    'DIR has one folder of HTML pages per language, with equal file names, as DocBook writes them. A task is to find the sections of a chapter, ' +
      'from three of them. For the Debian handbook: apt-get download debian-handbook; dpkg-deb -x debian-handbook_*.deb x; the pages are in x/usr/share/doc/debian-handbook/html.',
  ],
  run: runTranslations,
};

async function runTranslations(args: Args, io: Io): Promise<number> {
  const manual = args.positionals[0]!;
  const out = args.value('out');
  if (out === undefined) throw new UsageError('lab translations needs --out.', 'Name a folder for the webs.');
  const only = args
    .value('only')
    ?.split(',')
    .map((name) => name.trim());
  const languages = only ?? foldersOf(manual);
  const seed = readCount('--seed', args.value('seed'), 1, { min: 0 });
  const draws = readCount('--draws', args.value('draws'), 3);
  const lab = { out: () => {}, err: (text: string) => io.err(text), signal: new AbortController().signal };
  return await labTranslations({ manual, out, languages, seed, draws }, lab);
}

/** English first, if it is there: its pages name the chapters. */
function foldersOf(manual: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(manual, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    throw new UsageError(`${manual} cannot be read: ${(error as Error).message}.`, 'Name the folder of a manual.');
  }
  if (names.length === 0) throw new UsageError(`${manual} has no folders.`, 'It needs one folder per language.');
  const isEnglish = (name: string): boolean => /^en\b/i.test(name);
  return names.sort((a, b) => Number(isEnglish(b)) - Number(isEnglish(a)) || (a < b ? -1 : 1));
}
