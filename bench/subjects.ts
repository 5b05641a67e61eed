/**
 * `npm run bench:subjects`: how often the key words of the built-in subjects (`bingo classify --subjects`) name the right subject. The
 * pages are those of the frozen webs whose labels clearly mean one subject or a few; labels are used for scoring alone.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { analyze } from '../src/analyze/index.ts';
import { DEFAULTS, EMPTY_COUNTS, unpackCounts } from '../src/core/index.ts';
import { ArchiveFetcher, FrozenWeb, readLabels } from '../src/lab/index.ts';
import { fittingPlace, routeStems } from '../src/workbench/classify/route-document.ts';
import { table } from './table.ts';

const HELP = `npm run bench:subjects -- [options]

  --webs DIR  folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --each      also print each label
`;

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  each: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/** Labels whose meaning is clear, with the last names of the subjects that are right. Chosen before the first run. */
const LABELS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  wikispeedia: {
    'Science/Biology/Birds': ['birds'],
    'Science/Biology/Mammals': ['mammals'],
    'Science/Biology/Plants': ['plants'],
    'Science/Biology/Dinosaurs': ['evolution and fossils'],
    'Science/Biology/Health_and_medicine': ['medicine', 'infectious diseases', 'cancer', 'mental health', 'pharmacy'],
    'Science/Chemistry/Chemical_elements': ['chemistry'],
    'Science/Chemistry/Chemical_compounds': ['chemistry', 'pharmacy'],
    'Science/Chemistry/General_Chemistry': ['chemistry'],
    'Science/Chemistry/Materials_science': ['materials'],
    'Science/Physics/General_Physics': ['physics'],
    'Science/Physics/Space_Astronomy': ['astronomy', 'space exploration'],
    'Science/Physics/The_Planets': ['astronomy'],
    'Science/Physics/Space_transport': ['space exploration'],
    'Science/Physics/Electricity_and_Electronics': ['electrical engineering', 'physics'],
    Mathematics: ['mathematics', 'statistics'],
    'Geography/Geology_and_geophysics': ['geology'],
    'Geography/Mineralogy': ['geology', 'materials'],
    'Geography/Climate_and_the_Weather': ['weather and climate'],
    'Geography/Storms': ['weather and climate'],
    'Geography/African_Geography/African_Countries': ['Africa'],
    'Geography/European_Geography/European_Countries': ['Europe'],
    'Geography/Geography_of_Asia/Asian_Countries': ['Asia'],
    'Geography/Central_and_South_American_Geography/Central_and_South_American_Countries': ['the Americas'],
    'Design_and_Technology/Railway_transport': ['railways'],
    'Design_and_Technology/Architecture': ['architecture'],
    'Design_and_Technology/Road_transport': ['cars', 'civil engineering'],
    'Everyday_life/Food_and_agriculture': ['cooking', 'nutrition', 'gardening', 'plants'],
    'Everyday_life/Films': ['film and television'],
    'Everyday_life/Television': ['film and television'],
    'Everyday_life/Computer_and_Video_games': ['video games'],
    'Music/Musical_genres_styles_eras_and_events': ['popular music', 'classical music'],
    'Music/Musical_Instruments': ['popular music', 'classical music'],
    'Language_and_literature/Languages': ['languages'],
    'Language_and_literature/Linguistics': ['languages'],
    'Language_and_literature/Novels': ['literature'],
    'Language_and_literature/Theatre': ['theatre and dance'],
    'Art/Art': ['painting and sculpture'],
    'Business_Studies/Economics': ['economics', 'finance and investing'],
    'Citizenship/Law': ['law'],
    'Citizenship/Education': ['education'],
    'Citizenship/Politics_and_government': ['politics', 'law'],
    'History/Military_History_and_War': ['wars and the military'],
    'History/World_War_II': ['wars and the military'],
    'History/Archaeology': ['anthropology and archaeology', 'ancient history'],
    'Religion/Philosophy': ['philosophy'],
    'IT/Computer_Programming': ['software engineering'],
    'IT/Cryptography': ['computer security'],
    'IT/Websites_and_the_Internet': ['computer networks'],
  },
  foldoc: {
    networking: ['computer networks'],
    protocol: ['computer networks'],
    database: ['databases'],
    security: ['computer security'],
    mathematics: ['mathematics', 'statistics'],
    programming: ['software engineering'],
  },
};

interface Counts {
  pages: number;
  first: number;
  amongThree: number;
  /** Pages for which a subject fits clearly, and those of them for which it is right. */
  named: number;
  right: number;
}

const NONE: Counts = { pages: 0, first: 0, amongThree: 0, named: 0, right: 0 };

async function measured(
  web: string,
  wanted: Readonly<Record<string, readonly string[]>>,
): Promise<Map<string, Counts>> {
  const labels = await readLabels(join(flags.webs, `${web}.labels.tsv`));
  const fetcher = new ArchiveFetcher(await FrozenWeb.open(join(flags.webs, `${web}.warc.gz`)));
  const options = { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] as const };
  const counts = new Map<string, Counts>();
  for (const [url, own] of labels) {
    const known = own.filter((label) => wanted[label] !== undefined);
    if (known.length === 0) continue;
    const page = await fetcher.fetch(url);
    if (page.kind !== 'fetched') continue;
    const document = analyze(page, options);
    if ('reason' in document) continue;
    const places = routeStems(new Map(unpackCounts(document.features.terms ?? EMPTY_COUNTS)));
    const names = places.map(({ subject }) => subject.slice(subject.lastIndexOf('/') + 1));
    const right = new Set(known.flatMap((label) => wanted[label] ?? []));
    const fitting = fittingPlace(places) !== undefined;
    const isFirst = right.has(names[0] ?? '');
    for (const label of known) {
      const { pages, first, amongThree, named, right: sure } = counts.get(label) ?? NONE;
      counts.set(label, {
        pages: pages + 1,
        first: first + Number(isFirst),
        amongThree: amongThree + Number(names.slice(0, 3).some((name) => right.has(name))),
        named: named + Number(fitting),
        right: sure + Number(fitting && isFirst),
      });
    }
  }
  return counts;
}

function row(name: string, counts: Iterable<Counts>): string[] {
  const all = [...counts];
  const sum = (key: keyof Counts): number => all.reduce((total, one) => total + one[key], 0);
  const share = (key: keyof Counts, of: keyof Counts): string => (sum(key) / Math.max(1, sum(of))).toFixed(3);
  return [
    name,
    String(sum('pages')),
    share('first', 'pages'),
    share('amongThree', 'pages'),
    share('named', 'pages'),
    share('right', 'named'),
  ];
}

if (flags.help) process.stdout.write(HELP);
else {
  const rows: string[][] = [];
  for (const [web, wanted] of Object.entries(LABELS)) {
    const counts = await measured(web, wanted);
    rows.push(row(`${web}, ${counts.size} labels`, counts.values()));
    if (flags.each) for (const [label, one] of counts) rows.push(row(`  ${label}`, [one]));
  }
  const head = ['pages', 'n', 'right@1', 'right@3', 'fits clearly', 'right if it fits'];
  process.stdout.write(`${table(head, rows)}\n`);
}
