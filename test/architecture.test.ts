import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SRC = join(ROOT, 'src');

/** Which folder may import which: the table of ARCHITECTURE.md, one row per folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  core: ['kit'],
  warc: ['core', 'kit'],
  crawl: ['core', 'kit'],
  analyze: ['core', 'kit'],
  graph: ['core', 'kit'],
  learn: ['core', 'kit'],
  store: ['core', 'kit'],
  fetch: ['core', 'kit', 'warc'],
  convert: ['core', 'kit', 'analyze'],
  meta: ['core', 'kit', 'learn'],
  engine: ['core', 'kit', 'crawl', 'fetch', 'analyze', 'convert', 'graph', 'learn', 'meta'],
  postprocess: ['core', 'kit', 'analyze', 'graph', 'learn'],
  lab: ['core', 'kit', 'warc', 'analyze', 'graph', 'learn', 'meta', 'postprocess', 'engine'],
  dashboard: ['core', 'kit', 'engine', 'workbench'],
  workbench: [
    ...['core', 'kit', 'warc', 'crawl', 'fetch', 'analyze', 'convert', 'graph', 'learn', 'store', 'meta'],
    ...['engine', 'postprocess'],
  ],
  server: ['core', 'kit', 'postprocess', 'workbench'],
  cli: [
    ...['core', 'kit', 'warc', 'crawl', 'fetch', 'analyze', 'convert', 'store', 'meta'],
    ...['engine', 'postprocess', 'lab', 'dashboard', 'server', 'workbench'],
  ],
};
/** Folders that may import only types from the engine. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { dashboard: ['engine'] };

interface Import {
  readonly file: string;
  readonly line: number;
  readonly target: string;
  readonly typeOnly: boolean;
}

const IMPORT =
  /\b(import|export)\s+(type\s+)?(?:[^'"`;()]*?\bfrom\s*)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g;

/** Blanks out comments and keeps lines, because words in prose are not imports. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function importsOf(file: string): Import[] {
  const text = code(readFileSync(join(SRC, file), 'utf8'));
  return [...text.matchAll(IMPORT)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    target: relative(SRC, join(SRC, dirname(file), match[3] ?? match[4]!)),
    typeOnly: match[2] !== undefined,
  }));
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
}

/** Returns all files that a map may name, including the maps. */
function filesToName(): string[] {
  const within = ['src', 'test', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return ['ARCHITECTURE.md', ...within.filter((file) => !file.includes('node_modules'))];
}

function folderOf(path: string): string {
  return path.split(sep)[0]!;
}

/**
 * Returns an import between two subfolders of a folder, as in `engine/rounds > engine/state`. Files directly in the
 * folder belong to no subfolder.
 */
function wayOf({ file, target }: Import): string | undefined {
  const [from, to] = [dirname(file), dirname(target)];
  const isSame = from === to || folderOf(from) !== folderOf(to);
  return isSame || !from.includes(sep) || !to.includes(sep) ? undefined : `${from} > ${to}`;
}

/** Returns all files that a file imports, directly or indirectly. */
function reachedFrom(file: string, targetsOf: ReadonlyMap<string, readonly Import[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [file];
  for (let at = next.pop(); at !== undefined; at = next.pop())
    for (const { target } of targetsOf.get(at) ?? [])
      if (!reached.has(target) && reached.add(target)) next.push(target);
  return reached;
}

/** Returns what is wrong with an import, or `undefined`. */
function violation({ file, line, target, typeOnly }: Import): string | undefined {
  const [from, to] = [folderOf(file), folderOf(target)];
  if (from === to) return undefined;
  const place = `src/${file}:${line} imports ${target}`;
  const row = MAY_IMPORT[from];
  if (row === undefined) return `${place}: the table has no row for ${from}`;
  if (!row.includes(to)) return `${place}: ${from} may import ${row.join(', ') || 'nothing of ours'}`;
  if (target !== join(to, 'index.ts')) return `${place}: other folders come in by ${to}/index.ts`;
  if (TYPES_ONLY[from]?.includes(to) === true && !typeOnly) return `${place}: ${from} may import types only from ${to}`;
  return undefined;
}

describe('the source tree', () => {
  const files = sourceFiles();

  it('has source files to check', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it('lets a folder import only the folders in its row of the table, through index files', () => {
    expect(files.flatMap(importsOf).flatMap((found) => violation(found) ?? [])).toEqual([]);
  });

  it('has an index file in every folder that others import', () => {
    const doors = new Set(files.filter((file) => /^[^/\\]+[/\\]index\.ts$/.test(file)).map(folderOf));
    const targets = new Set(
      files
        .flatMap(importsOf)
        .flatMap(({ file, target }) => (folderOf(file) === folderOf(target) ? [] : folderOf(target))),
    );
    expect([...targets].filter((folder) => !doors.has(folder))).toEqual([]);
  });

  it('has no two subfolders of a folder that import each other', () => {
    const ways = new Map(files.flatMap(importsOf).flatMap((found) => (wayOf(found) ? [[wayOf(found)!, found]] : [])));
    const back = (way: string): string => way.split(' > ').reverse().join(' > ');
    const both = [...ways].filter(([way]) => ways.has(back(way)));
    expect(both.map(([way, { file, target }]) => `${way}: ${file} imports ${target}`)).toEqual([]);
  });

  it('has every file that its maps name', () => {
    const all = filesToName();
    const gone = all
      .filter((file) => /(?:ARCHITECTURE|README)\.md$/.test(file))
      .flatMap((map) => {
        const names = [...readFileSync(join(ROOT, map), 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)].map(
          ([, name]) => name!,
        );
        return names
          .filter((name) => !all.some((file) => join(sep, file).endsWith(join(sep, name))))
          .map((name) => `${map}: ${name}`);
      });
    expect(gone).toEqual([]);
  });

  it('has no import cycles', () => {
    const targetsOf = Map.groupBy(files.flatMap(importsOf), ({ file }) => file);
    expect(files.filter((file) => reachedFrom(file, targetsOf).has(file))).toEqual([]);
  });

  it('has no default exports', () => {
    const hits = files.filter((file) =>
      /^export default\b|\bas default\b/m.test(code(readFileSync(join(SRC, file), 'utf8'))),
    );
    expect(hits).toEqual([]);
  });
});

describe('documents for people who change Bingo', () => {
  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/extending.md'])(
    '%s names files and folders that exist',
    (page) => {
      const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:src|test|scripts|bench)\/[\w./-]+)`/g)];
      const places = named.map(([, place]) => place ?? '').filter((place) => !place.includes('NAME'));
      expect(places.length).toBeGreaterThan(0);
      expect(places.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
    },
  );
});

describe('the workbench', () => {
  const files = sourceFiles().filter((file) => folderOf(file) === 'workbench');

  it('never prints, ends the process or draws on a terminal', () => {
    const faces =
      /\bprocess\.(stdout|stderr|stdin|exit|on|once)\b|\bconsole\.|from '(?:ink|react|node:readline|node:tty)'/;
    expect(files.filter((file) => faces.test(code(readFileSync(join(SRC, file), 'utf8'))))).toEqual([]);
  });
});

describe('SQL', () => {
  const files = sourceFiles().filter((file) => folderOf(file) !== 'store');
  const QUERY =
    /from '(?:kysely|mysql2?[/\w-]*|node:sqlite)'|\bsql`|\bfrom (?:page|visit|url|steer|run|journal)\b[^'"`]*\b(?:where|group by|order by)\b/;
  /** Messages that show the user a query to run. */
  const SHOWN = new Set([join('cli', 'crawl', 'crawl-summary.ts')]);

  it('is written in the store only', () => {
    const text = (file: string): string => code(readFileSync(join(SRC, file), 'utf8'));
    expect(files.filter((file) => !SHOWN.has(file) && QUERY.test(text(file)))).toEqual([]);
  });
});

describe('the commands', () => {
  /** A comparison of two crawls, and experiments. */
  const OWN = /^cli\Wcommands\W(?:demo|lab[\w-]*)\.ts$/;

  it('leave opening and locking a store to the workbench', () => {
    const files = sourceFiles().filter((file) => folderOf(file) === 'cli' && !OWN.test(file));
    const opens = /\b(?:openStore|openScratch|inScratch|lockWorkspace|claimWorkspace)\b/;
    expect(files.filter((file) => opens.test(code(readFileSync(join(SRC, file), 'utf8'))))).toEqual([]);
  });
});

/** Files whose reads are of Bingo's own package or output; each states its own limit or needs none. */
const READS_OWN_FILES: readonly string[] = [
  'cli/guides.ts',
  'workbench/export/consumers.ts',
  'workbench/notify/notify-state.ts',
  'workbench/queries/query-log.ts',
  'workbench/schedule/watch-files.ts',
  'workbench/sources/shipped.ts',
  'workbench/workspace/default-counter-examples.ts',
  'workbench/workspace/product.ts',
].map((file) => join(...file.split('/')));

describe('files that a user names', () => {
  const faces = sourceFiles().filter((file) => ['workbench', 'cli', 'dashboard'].includes(folderOf(file)));

  it('are only read with a limit on their size', () => {
    const reads = /\b(?:readFile|readFileSync|createReadStream|openSync)\b/;
    const found = faces.filter((file) => reads.test(code(readFileSync(join(SRC, file), 'utf8'))));
    expect(found.sort()).toEqual(READS_OWN_FILES);
  });
});

/** The only folder that opens connections to servers. */
const NETWORK = 'fetch';
/** A database named by the user is not part of the web. */
const DATABASE = join('store', 'mysql');
/** A user's program asks its own server by the client, which must also run in a browser. */
const CLIENT = join('server', 'client', 'connection.ts');
/** Runs in a browser, whose policy lets it connect to its own server alone. */
const IN_BROWSER = join('server', 'studio');
/** Names that only listen or read text, and open no connection. */
const HARMLESS: ReadonlySet<string> = new Set(['createServer', 'isIP', 'isIPv4', 'isIPv6', 'STATUS_CODES']);
/** The name server of the lab only answers queries. */
const LISTENS_BY_UDP = join('lab', 'serve', 'dns-server.ts');
const NETWORK_IMPORT =
  /\bimport\s+(type\s+)?([^'"`;]*?)\bfrom\s*['"](?:node:)?(?:net|tls|https?|http2|dgram|dns(?:\/promises)?|undici|mysql2?(?:\/[\w/.-]+)?|ws)['"]/g;
/** Built-in clients, and network modules loaded at runtime. */
const CONNECTS =
  /(?<![.#\w])(?:fetch\(|new\s+(?:WebSocket|EventSource|XMLHttpRequest)\b)|(?:import|require|load)\(\s*['"](?:node:)?(?:net|tls|https?|http2|dgram|dns(?:\/promises)?|undici)\b/g;

/** Returns the ways in which a file could open its own connection. */
function connectionsOf(file: string, text: string): string[] {
  const imported = [...text.matchAll(NETWORK_IMPORT)].flatMap(([, typeOnly, names = '']) => {
    if (typeOnly !== undefined) return [];
    return names
      .replace(/[{}]/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(/\s+as\s+/)[0]!)
      .filter((name) => !HARMLESS.has(name) && !(name === 'createSocket' && file === LISTENS_BY_UDP));
  });
  const methods = [...text.matchAll(CONNECTS)].filter(({ index }) => !isDeclared(text, index));
  return [...imported, ...methods.map(([call]) => call)].map((what) => `src/${file}: ${what}`);
}

/** Returns true for one of our own methods called `fetch`: its parameters have types. */
function isDeclared(text: string, at: number): boolean {
  return /^fetch\(\w+\??:/.test(text.slice(at));
}

describe('the network', () => {
  const closed = sourceFiles().filter(
    (file) => ![NETWORK, DATABASE, IN_BROWSER].some((folder) => file.startsWith(folder + sep)) && file !== CLIENT,
  );

  it('is used by one folder only', () => {
    expect(closed.flatMap((file) => connectionsOf(file, code(readFileSync(join(SRC, file), 'utf8'))))).toEqual([]);
  });

  it.each([
    "const r = await fetch('http://x');",
    "import { connect } from 'node:net';",
    "import { type Socket, request as ask } from 'node:https';",
    "import * as net from 'node:net';",
    "import tls from 'tls';",
    "import { promises as dns } from 'node:dns';",
    "const { Agent } = await import('undici');",
    "const x = require('node:http2');",
    "const s = new WebSocket('ws://x');",
  ])('is seen to be entered by %s', (text) => {
    expect(connectionsOf('cli/x.ts', text)).toHaveLength(1);
  });

  it.each([
    "import { createServer, type Server } from 'node:http';",
    "import type { Socket } from 'node:net';",
    'const r = await this.#fetcher.fetch(url);',
    'async fetch(url: CanonicalUrl): Promise<void> {',
  ])('is not entered by %s', (text) => {
    expect(connectionsOf('cli/x.ts', text)).toEqual([]);
  });
});

describe('the architecture check', () => {
  const at = (file: string, target: string, typeOnly = false): Import => ({ file, line: 7, target, typeOnly });

  it('names the line of a forbidden import and the row of the table', () => {
    expect(violation(at('learn/svm.ts', 'crawl/index.ts'))).toBe(
      'src/learn/svm.ts:7 imports crawl/index.ts: learn may import core, kit',
    );
  });

  it('rejects an import of a file behind the index file', () => {
    expect(violation(at('engine/crawl.ts', 'learn/svm.ts'))).toContain('come in by learn/index.ts');
  });

  it('lets the dashboard import only types from the engine', () => {
    expect(violation(at('dashboard/view.tsx', 'engine/index.ts', true))).toBeUndefined();
    expect(violation(at('dashboard/view.tsx', 'engine/index.ts'))).toContain('types only');
  });

  it('finds imports between subfolders', () => {
    expect(wayOf(at('engine/rounds/rounds.ts', 'engine/state/jobs.ts'))).toBe('engine/rounds > engine/state');
    expect(wayOf(at('engine/crawl.ts', 'engine/state/jobs.ts'))).toBeUndefined();
    expect(wayOf(at('engine/state/copies.ts', 'engine/state/jobs.ts'))).toBeUndefined();
    expect(wayOf(at('engine/state/jobs.ts', 'fetch/fetcher.ts'))).toBeUndefined();
  });

  it('finds multi-line, side-effect and dynamic imports, and ignores comments', () => {
    const text = "import {\n  a,\n} from '../x.ts';\nimport './y.ts';\nawait import('./z.ts');\n// import './no.ts'\n";
    expect([...code(text).matchAll(IMPORT)].map((m) => m[3] ?? m[4])).toEqual(['../x.ts', './y.ts', './z.ts']);
  });
});
