/**
 * Prints the measures of the source code beside their targets: sizes, parameters, non-null assertions, `readonly`
 * properties, bare errors, comments. `--files` also lists what exceeds a limit.
 *
 * Usage: node scripts/measures.ts [--files]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags } from './script-flags.ts';
import { type Counts, countsOf, MAX_FUNCTION_LINES, MAX_PARAMETERS } from './source-counts.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const MAX_FILE_LINES = 400;
/** Folders of numeric kernels, where every loop indexes typed arrays. */
const KERNELS: ReadonlySet<string> = new Set(['graph', 'learn']);

interface Measured extends Counts {
  readonly file: string;
  readonly folder: string;
}

function sourceFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .sort();
}

function measured(file: string): Measured {
  const counts = countsOf(file, readFileSync(join(ROOT, 'src', file), 'utf8'));
  return { file, folder: file.split('/')[0] ?? '', ...counts };
}

function sum(files: readonly Measured[], value: (file: Measured) => number): number {
  return files.reduce((total, file) => total + value(file), 0);
}

function perThousandLines(files: readonly Measured[]): number {
  return (1000 * sum(files, (file) => file.assertions)) / sum(files, (file) => file.lines);
}

function readonlyShare(files: readonly Measured[]): number {
  return (
    sum(files, (file) => file.readonlyProperties) /
    Math.max(
      1,
      sum(files, (file) => file.properties),
    )
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Returns the three folders with the worst value, as text. */
function worstFolders(
  files: readonly Measured[],
  value: (files: readonly Measured[]) => number,
  format: (value: number) => string,
): string {
  const folders = [...Map.groupBy(files, ({ folder }) => folder)].filter(([, own]) => sum(own, (f) => f.lines) > 500);
  const values = folders.map(([folder, own]) => ({ folder, value: value(own) }));
  return values
    .sort((a, b) => b.value - a.value)
    .slice(0, 3)
    .map((each) => `${each.folder} ${format(Math.abs(each.value))}`)
    .join(', ');
}

type Row = readonly [measure: string, target: string, today: string];

function rows(files: readonly Measured[]): readonly Row[] {
  const outside = files.filter(({ folder }) => !KERNELS.has(folder));
  const functions = sum(files, (file) => file.functions);
  const wide = sum(files, (file) => file.wideFunctions.length);
  const sizes = files.flatMap(({ longFunctions }) => longFunctions.map(({ size }) => size));
  const longFiles = files.filter(({ lines }) => lines > MAX_FILE_LINES);
  const longest = Math.max(...files.map(({ lines }) => lines));
  const worst = worstFolders(outside, perThousandLines, (value) => value.toFixed(0));
  const mutable = worstFolders(files, (own) => -readonlyShare(own), percent);
  const comments = sum(files, (file) => file.commentLines) / sum(files, (file) => file.codeLines);
  return [
    ['lines in src', '70,000', `${sum(files, ({ lines }) => lines).toLocaleString('en')} in ${files.length} files`],
    [`files over ${MAX_FILE_LINES} lines`, '0', `${longFiles.length} (longest ${longest})`],
    [`functions over ${MAX_FUNCTION_LINES} lines`, '0', `${sizes.length} (longest ${Math.max(0, ...sizes)})`],
    [`functions over ${MAX_PARAMETERS} parameters`, '1 %', `${percent(wide / functions)} (${wide} of ${functions})`],
    ['`!` per 1,000 lines, without graph and learn', '3', `${perThousandLines(outside).toFixed(1)} (${worst})`],
    ['`readonly` properties', '90 %', `${percent(readonlyShare(files))} (${mutable})`],
    ['bare `throw new Error`', '0', String(sum(files, ({ bareErrors }) => bareErrors.length))],
    ['comment lines per code line', '.2–.4', comments.toFixed(2).replace(/^0/, '')],
  ];
}

function printTable(table: readonly Row[]): void {
  const all: readonly Row[] = [['measure', 'target', 'today'], ...table];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column as 0 | 1].length)));
  for (const [measure, target, today] of all)
    process.stdout.write(`${measure.padEnd(widths[0] ?? 0)}  ${target.padEnd(widths[1] ?? 0)}  ${today}\n`);
}

/** Prints the places that exceed a limit, the greatest first. */
function printPlaces(files: readonly Measured[]): void {
  const long = files.filter(({ lines }) => lines > MAX_FILE_LINES).map(({ file, lines }) => `${lines} lines: ${file}`);
  const kinds = [
    ['lines', 'longFunctions'],
    ['parameters', 'wideFunctions'],
    ['bare error', 'bareErrors'],
  ] as const;
  const places = kinds.flatMap(([unit, kind]) =>
    files.flatMap((each) => each[kind].map(({ line, size }) => `${size} ${unit}: ${each.file}:${line}`)),
  );
  for (const line of [...long, ...places]) process.stdout.write(`${line}\n`);
}

const { files: wantsFiles = false } = readFlags({ files: { type: 'boolean' } });
const all = sourceFiles().map(measured);
printTable(rows(all));
if (wantsFiles) printPlaces(all);
