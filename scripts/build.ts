import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { type LetterStatistics, packStatistics, STATISTICS_FILE } from '../src/analyze/words/letter-statistics.ts';
import { libraryTypes } from './library-types.ts';

/**
 * Builds `dist/` for `npm run build`: one entry for the program and for each thread and child process, and their
 * shared pieces beside them. With one file per module, each command and thread would read hundreds of files, more
 * than half of the time of `bingo status` (docs/benchmarks.md). Nothing is minified, so stack traces name our
 * functions.
 */
const ENTRIES = [
  'cli/main',
  'workbench/library',
  'convert/convert-watchdog',
  'convert/convert-worker',
  'warc/warc-worker',
  'engine/analysis/analysis-worker',
  'engine/judging/judging-worker',
  'engine/training/training-worker',
  'lab/run/lab-worker',
  'server/client/client',
  'server/sql-child',
  'store/write/writer-worker',
];
/** Modules that portals also run in a browser. Each becomes a script that sets one variable with the module's name. */
const FOR_BROWSERS = [
  'analyze/words/beginnings',
  'analyze/words/bulgarian',
  'analyze/words/hebrew',
  'analyze/words/korean',
  'analyze/words/persian',
  'analyze/words/slavic',
  'analyze/words/turkish',
  'postprocess/search/accents',
];

/** Packages that stay outside of the bundle: large, native, or rarely loaded. All others are bundled. */
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
const external = [...Object.keys(dependencies), 'playwright-core'].map((name) => new RegExp(`^${name}(/|$)`));

/** The sources that the lab's cached analyses depend on: see `src/lab/run/analysis-cache.ts`. */
const ANALYSIS = [
  'src/{analyze,convert,core,kit}/**/*.ts',
  'src/lab/run/analyzed-web.ts',
  'src/engine/analysis/page-analyzer.ts',
];

const analysisDigest: Plugin = {
  name: 'analysis-digest',
  generateBundle() {
    const code = globSync(ANALYSIS)
      .sort()
      .map((file) => readFileSync(file, 'utf8'));
    const source = createHash('sha256').update(code.join('\0')).digest('hex').slice(0, 16);
    this.emitFile({ type: 'asset', fileName: 'analysis-digest.txt', source });
  },
};

/** The package eld as source text: see `src/analyze/words/letter-statistics.ts`. */
const letterStatistics: Plugin = {
  name: 'letter-statistics',
  async generateBundle() {
    const file = new URL('../ngrams/small.js', import.meta.resolve('eld/small')).href;
    const { ngramsData } = (await import(file)) as { readonly ngramsData: LetterStatistics };
    this.emitFile({ type: 'asset', fileName: STATISTICS_FILE, source: packStatistics(ngramsData) });
  },
};

const licences: Plugin = {
  name: 'licences',
  generateBundle() {
    const used = [...this.getModuleIds(), fileURLToPath(import.meta.resolve('eld/small'))];
    const folders = new Set(used.map(packageFolder).filter((folder) => folder !== undefined));
    const source = [...folders]
      .sort()
      .map(licence)
      .join(`\n${'-'.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
  },
};

function packageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/** @throws Error if a package has no licence: it must not become part of the product */
function licence(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`Expected a licence in ${folder}.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

function browserScript(path: string): BuildOptions {
  const name = basename(path);
  return { input: `src/${path}.ts`, output: { file: `dist/browser/${name}.js`, format: 'iife', name } };
}

/** @throws Error for a warning: a package that is not installed would be missing in the product */
function failAtWarnings(level: string, log: { readonly message: string }): void {
  if (level === 'warn') throw new Error(log.message);
}

/** The browser's workbench, with React. */
const studio: BuildOptions = {
  input: 'src/server/studio/studio.tsx',
  platform: 'browser',
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [licences],
  checks: { bundlerTimings: false },
  onLog: failAtWarnings,
  output: { file: 'dist/browser/studio.js', format: 'iife', minify: true },
};

const program: BuildOptions = {
  input: Object.fromEntries(ENTRIES.map((path) => [basename(path), `src/${path}.ts`])),
  platform: 'node',
  external,
  plugins: [analysisDigest, letterStatistics, licences],
  // On a busy machine every step takes significant time.
  checks: { bundlerTimings: false },
  onLog: failAtWarnings,
  output: { dir: 'dist', cleanDir: true, chunkFileNames: '[name].js' },
};

// The first build empties the folder.
await build(program);
await build([...FOR_BROWSERS.map(browserScript), studio]);
// Only published packages need types, which take some seconds.
if (process.argv.includes('--types'))
  for (const [name, types] of Object.entries(libraryTypes('.'))) writeFileSync(`dist/${name}.d.ts`, types);
