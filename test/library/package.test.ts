import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { libraryReference } from '../../scripts/library-reference.ts';
import { libraryTypes } from '../../scripts/library-types.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../cli/support/bike-web.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** `BINGO_NODES=/path/to/node22` adds versions, separated as in PATH. */
const NODES = [process.execPath, ...(process.env.BINGO_NODES?.split(':') ?? [])];

/** Returns the programs of a page: blocks whose first line names their file. */
function programsOf(page: string): readonly { readonly file: string; readonly text: string }[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(?:js|ts)\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', body = '']) => {
    return { file, text: body };
  });
}

const PROGRAMS = programsOf('docs/library.md');
/** Programs that need a server. */
const CLIENTS = programsOf('docs/api.md');

let web: BikeWeb;
let consumer: string;
let types: string;

beforeAll(async () => {
  web = await startBikeWeb();
  consumer = mkdtempSync(join(tmpdir(), 'bingo-consumer-'));
  // Packs a copy, because packing in place would rebuild what other tests use.
  const stage = join(consumer, 'stage');
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  for (const file of [...files, 'package.json']) cpSync(join(ROOT, file), join(stage, file), { recursive: true });
  const made = libraryTypes(ROOT);
  types = made.library;
  writeFileSync(join(stage, 'dist/library.d.ts'), made.library);
  writeFileSync(join(stage, 'dist/client.d.ts'), made.client);
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', consumer], {
    cwd: stage,
  });
  rmSync(stage, { recursive: true });
  writeFileSync(join(consumer, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(consumer, basename(packed.stdout.trim()));
  await run(
    'npm',
    ['install', tarball, '@types/node@24', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'],
    {
      cwd: consumer,
    },
  );
  mkdirSync(join(consumer, 'bikes'));
  writeFileSync(join(consumer, 'bikes/bingo.yaml'), bikeWorkspace(web));
  for (const { file, text } of [...PROGRAMS, ...CLIENTS]) writeFileSync(join(consumer, file), text);
}, 600_000);

afterAll(async () => {
  await web.close();
  rmSync(consumer, { recursive: true, force: true });
});

test('docs/library-reference.md matches the types', () => {
  const page = readFileSync(join(ROOT, 'docs/library-reference.md'), 'utf8');
  expect(page).toBe(libraryReference(types));
  expect(page).toMatch(/### openWorkspace[\s\S]*### Workspace/);
});

describe('the published package', () => {
  test('has examples in JavaScript and TypeScript', () => {
    expect(PROGRAMS.map(({ file }) => file)).toEqual(expect.arrayContaining(['crawl.mjs', 'report.mts']));
  });

  test.each(NODES)('runs the examples of docs/library.md on %s', async (node) => {
    rmSync(join(consumer, 'new-bikes'), { recursive: true, force: true });
    for (const { file } of PROGRAMS.filter(({ file }) => file.endsWith('.mjs'))) {
      const { stdout, stderr } = await run(node, [file], { cwd: consumer });
      expect([file, stderr]).toEqual([file, '']);
      if (file === 'crawl.mjs') expect(stdout).toMatch(/^http:\/\/bikes\.test\S+ cycling 0\.\d+$/m);
      if (file === 'questions.mjs') expect(stdout).toMatch(/^\[ 'topic', 'pages' \]/m);
    }
    expect(readFileSync(join(consumer, 'pages.csv'), 'utf8')).toMatch(/^url,finalUrl,title,topic/);
    expect(readFileSync(join(consumer, 'new-bikes/bingo.yaml'), 'utf8')).toContain('https://www.sheldonbrown.com/');
  });

  test('has a client that runs the examples of docs/api.md against bingo serve', async () => {
    const bingo = join(consumer, 'node_modules/bingo-crawler/bin/bingo.js');
    const server = spawn(process.execPath, [bingo, 'serve', 'bikes', '--port', '0', '--json'], { cwd: consumer });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(line)) as { url: string };
      const printed: Record<string, string> = {};
      for (const { file } of CLIENTS.filter(({ file }) => file.endsWith('.mjs'))) {
        const { stdout, stderr } = await run(process.execPath, [file, url], { cwd: consumer });
        expect([file, stderr]).toEqual([file, '']);
        printed[file] = stdout;
      }
      expect(printed).toEqual({
        'client.mjs': expect.stringMatching(/^http:\/\/bikes\.test\S+ \d/m),
        'follow.mjs': expect.stringMatching(/^(?:budget|frontier-dry)$/m),
        'find-by-client.mjs': expect.stringMatching(/^learns from [\s\S]*^http:\/\/bikes\.test\S+ \d/m),
        'standing.mjs': 'saddle 0 new\n',
      });
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  });

  test('compiles its TypeScript example with tsc --strict and the package types, and runs it', async () => {
    const flags = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    const programs = [...PROGRAMS, ...CLIENTS].map(({ file }) => file).filter((file) => file.endsWith('.mts'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await run(process.execPath, [tsc, ...flags, '--types', 'node', ...programs], {
      cwd: consumer,
    }).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, ['report.mjs'], { cwd: consumer });
    expect(stdout).toMatch(/USAGE No word in/);
  });

  test('has no side effect on import', async () => {
    const script = `await import('bingo-crawler');
      await new Promise(setImmediate);
      const kept = process.getActiveResourcesInfo().filter((kind) => !/^(TTY|Pipe|TCP|FS|Close|Immediate)/.test(kind));
      console.log(kept.length, process.listenerCount('SIGINT'));`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: consumer });
    expect([stdout, stderr]).toEqual(['0 0\n', '']);
  });
});
