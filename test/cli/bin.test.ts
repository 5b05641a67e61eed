import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The heap flags of a crawl. */
const LEAN = '--max-semi-space-size=4,--min-semi-space-size=4,--heap-growing-percent=70';
/** The flag that keeps V8 from ending a process with many threads. */
const STEADY = process.platform === 'linux' && process.arch === 'x64' ? '--no-memory-protection-keys' : '';
const ALL = [LEAN, STEADY].filter(Boolean).join();

const VERSION = Number(/\d+/.exec(process.version));

const BIN = fileURLToPath(new URL('../../bin/bingo.js', import.meta.url));

/** An installed Node.js that is older than Bingo requires, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find(
    (path) => existsSync(path) && /^v(1[89]|2[01])\./.test(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout),
  );

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-bin-'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  copyFileSync(BIN, join(root, 'bin', 'bingo.js'));
});
afterEach(() => rmSync(root, { recursive: true }));

function script(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), 0o755);
}

function start(node: string, words: readonly string[] = []) {
  const { status, stdout, stderr, signal } = spawnSync(node, [join(root, 'bin', 'bingo.js'), ...words], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr, signal };
}

describe('bin/bingo.js', () => {
  it('says what to run if Bingo is not built', () => {
    expect(start(process.execPath)).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run build') });
  });

  it('passes words and exit code through, in production mode', () => {
    const main =
      'export const main = async (words) => { console.log(words.join("|"), process.env.NODE_ENV); return 7; };';
    script('dist/main.js', main);
    const environment = { ...process.env };
    delete environment.NODE_ENV;
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'bin', 'bingo.js'), 'a b', '--c'], {
      encoding: 'utf8',
      env: environment,
    });
    expect([status, stdout]).toEqual([7, 'a b|--c production\n']);
  });

  it.skipIf(process.execve === undefined || process.platform === 'win32')(
    'restarts a crawl with a smaller heap and without protection keys, unless a heap size was chosen',
    () => {
      const main = `export const main = async (words) =>
        console.log(process.pid, process.execArgv.join(), words.join(), process.env.MALLOC_ARENA_MAX) ?? 5;`;
      script('dist/main.js', main);
      const run = (words: readonly string[], options = '') => {
        const { MALLOC_ARENA_MAX: _, ...others } = process.env;
        const env = { ...others, NODE_OPTIONS: options };
        const { pid, status, stdout } = spawnSync(process.execPath, [join(root, 'bin', 'bingo.js'), ...words], {
          encoding: 'utf8',
          env,
        });
        return [status, stdout.replace(String(pid), 'same').trim()];
      };
      expect(run(['crawl', 'a b'])).toEqual([5, `same ${ALL} crawl,a b 2`]);
      expect(run(['work', 'x'])[1]).toContain(`${ALL} work,x 2`);
      expect(run(['reclassify', 'x'])[1]).toContain(`${ALL} reclassify,x 2`);
      expect(run(['search', 'x'])).toEqual([5, 'same  search,x undefined']);
      expect(run(['crawl'], '--max-semi-space-size=16')).toEqual([5, `same ${STEADY} crawl undefined`]);
    },
  );

  it.skipIf(process.execve === undefined || process.platform === 'win32')(
    'gives the smaller space for young objects to its main thread alone: others have limits of their own',
    () => {
      // Runs the same work in threads with little and with much space for young objects: the first collects garbage
      // far more often.
      const work = `const profiler = new (require('node:v8').GCProfiler)();
        profiler.start();
        let kept = [];
        for (let i = 0; i < 2e6; i++) if (kept.push({ i, text: 'n' + i }) > 20000) kept = [];
        const clearings = profiler.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge').length;
        require('node:worker_threads').parentPort.postMessage(clearings);`;
      const main = `import { once } from 'node:events';
        import { Worker } from 'node:worker_threads';
        const clearings = async (maxYoungGenerationSizeMb) => {
          const [count] = await once(new Worker(${JSON.stringify(work)}, { eval: true, resourceLimits: { maxYoungGenerationSizeMb } }), 'message');
          return count;
        };
        export const main = async () => console.log(JSON.stringify([await clearings(3), await clearings(24)]));`;
      script('dist/main.js', main);
      const [little, much] = JSON.parse(start(process.execPath, ['crawl']).stdout);
      expect(little).toBeGreaterThan(2 * much);
    },
  );

  it.skipIf(process.execve === undefined || process.platform === 'win32' || VERSION < 24)(
    'has V8 close the holes that garbage leaves, before any thread runs, in a crawl alone',
    () => {
      script('dist/main.js', 'export const main = async () => {};');
      // V8 flags cannot be read back, so the call is intercepted.
      script(
        'overhear.cjs',
        `const v8 = require('node:v8');
        const { setFlagsFromString } = v8;
        v8.setFlagsFromString = (flag) => { console.log(flag); setFlagsFromString(flag); };
        require('node:module').syncBuiltinESMExports();`,
      );
      const asked = (command: string): readonly string[] => {
        const env = { ...process.env, NODE_OPTIONS: `--require ${join(root, 'overhear.cjs')}` };
        const { stdout } = spawnSync(process.execPath, [join(root, 'bin', 'bingo.js'), command], {
          encoding: 'utf8',
          env,
        });
        return stdout.trim().split('\n');
      };
      expect(asked('crawl')).toContain('--memory-saver-mode');
      expect(asked('search')).toEqual(['']);
    },
  );

  it.skipIf(oldNode === undefined)('runs the pinned Node on an older Node, with its exit code', () => {
    script('dist/main.js', 'export const main = async () => { console.log(process.version); return 3; };');
    script('node_modules/.bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    expect(start(oldNode!)).toMatchObject({ status: 3, stdout: `${process.version}\n` });
  });

  it.skipIf(oldNode === undefined)('starts a crawl on an older Node with these flags', () => {
    script('dist/main.js', 'export const main = async () => console.log(process.execArgv.join());');
    script('node_modules/.bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    expect(start(oldNode!, ['crawl', 'x']).stdout).toBe(`${ALL}\n`);
    expect(start(oldNode!, ['search', 'x']).stdout).toBe('\n');
  });

  it.skipIf(oldNode === undefined)('on an older Node, passes on the signal that ended the pinned Node', () => {
    script(
      'dist/main.js',
      'export const main = async () => { process.kill(process.pid, "SIGTERM"); await new Promise((r) => setTimeout(r, 5000)); };',
    );
    script('node_modules/.bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    expect(start(oldNode!)).toMatchObject({ status: null, signal: 'SIGTERM' });
  });

  it.skipIf(oldNode === undefined)('on an older Node without a pinned one, says what to install', () => {
    expect(start(oldNode!)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/needs Node\.js 22\.19 or newer.*\n.*nodejs\.org.*npm install node@24/),
    });
  });
});
