/**
 * `npm run bench:libraries`: packages that could replace code of ours, installed into a temporary folder: their size, CPU time
 * to load them, and what they do with the same input as our code.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { readFlags } from '../scripts/script-flags.ts';
import { libraryTrials } from './library-trials.ts';
import { machine, median, table } from './table.ts';

const HELP = `npm run bench:libraries

  Installs the packages from the npm registry into a temporary folder and measures them.
`;

/** Packages with their versions, and the code of ours that would use them, as a program that keeps what it imports. */
const PACKAGES: Readonly<Record<string, readonly [version: string, use: string]>> = {
  zod: ['4.6.7', "import * as z from 'zod'; out(z.object({ budget: z.int().min(1) }))"],
  commander: ['15.1.0', "import { Command } from 'commander'; out(Command)"],
  '@stricli/core': ['1.3.0', "import { buildApplication, buildCommand, run } from '@stricli/core'; out(run)"],
  'fastest-levenshtein': ['1.0.16', "import { distance } from 'fastest-levenshtein'; out(distance)"],
  selfsigned: ['5.5.0', "import { generate } from 'selfsigned'; out(generate)"],
  'write-file-atomic': ['7.0.1', "import write from 'write-file-atomic'; out(write)"],
  piscina: ['5.3.2', "import { Piscina } from 'piscina'; out(Piscina)"],
  'sorted-btree': ['2.1.0', "import BTree from 'sorted-btree'; out(BTree)"],
  'js-sdsl': ['4.4.2', "import { OrderedSet } from 'js-sdsl'; out(OrderedSet)"],
  warcio: ['2.4.11', "import { WARCParser } from 'warcio'; out(WARCParser)"],
  'porter-stemmer': ['0.9.1', "import { stemmer } from 'porter-stemmer'; out(stemmer)"],
};
const LOADS = 9;

const { help } = readFlags({ help: { type: 'boolean', default: false } });
if (help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'bingo-libraries-'));
  try {
    const rows: string[][] = [];
    const folders = new Map<string, string>();
    for (const [name, [version, use]] of Object.entries(PACKAGES)) {
      const dir = installed(root, name, version);
      folders.set(name, dir);
      rows.push([`${name} ${version}`, ...sizeOf(join(dir, 'node_modules')), ...(await loadTimes(dir, use))]);
    }
    const head = ['package', 'packages', 'files', 'KB', 'load, ms', 'load bundled, ms'];
    const trials = await libraryTrials((name) => folders.get(name)!, root);
    process.stdout.write(`${machine()}\n\n${table(head, rows)}\n\n${table(['trial', 'ours', 'package'], trials)}\n`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Installs a package without its scripts and returns the folder of its `node_modules`. */
function installed(root: string, name: string, version: string): string {
  const dir = join(root, name.replace('/', '-'));
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', '--prefix', dir, ...flags, `${name}@${version}`], { stdio: 'inherit' });
  return dir;
}

/** Number of packages, number of files, kilobytes. */
function sizeOf(modules: string): string[] {
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  return [Object.keys(lock.packages).length, files.length, Math.round(bytes / 1024)].map(String);
}

/** CPU milliseconds to load a package as it is, and as the part that a build takes into the product. */
async function loadTimes(dir: string, use: string): Promise<string[]> {
  const source = join(dir, 'use.js');
  const bundle = join(dir, 'bundled.mjs');
  writeFileSync(source, use.replace('out(', 'globalThis.kept = ('));
  await build({ input: source, platform: 'node', output: { file: bundle }, onLog: () => {} });
  return [source, bundle].map((file) => loadTime(file).toFixed(0));
}

function loadTime(file: string): number {
  const code = `const before = process.cpuUsage(); await import(${JSON.stringify(pathToFileURL(file).href)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000); process.exit();`;
  const run = (): number => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    const ms = Number.parseFloat(stdout);
    if (Number.isNaN(ms)) throw new Error(`Cannot load ${file}: ${stderr}`);
    return ms;
  };
  return median(Array.from({ length: LOADS }, run));
}
