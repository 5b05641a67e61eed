#!/usr/bin/env node
// Starts Bingo on a Node.js that is new enough. This file must parse on Node 18: plain JavaScript, no newer syntax.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const LEAST = [22, 19];
/** Commands that hold much: a long crawl, or what one has stored. A portal gains no memory by it and loses time. */
const HUNGRY = ['crawl', 'work', 'find', 'mark', 'review', 'reclassify', 'cluster'];
/**
 * V8 keeps three spaces for young objects, of 32 MB in this version; it lets what is left grow to up to four times what is in use before
 * it looks for garbage. The last is for all threads, the first for the main one: see `start`. The second keeps these spaces from
 * shrinking, which `SAVER` would have them do again and again, at a tenth of all time.
 */
const LEAN_HEAP = ['--max-semi-space-size=4', '--min-semi-space-size=4', '--heap-growing-percent=70'];
/** V8 moves together what garbage left holes in, and looks for garbage before it takes more. */
const SAVER = '--memory-saver-mode';
/** Versions that know that. Nor is the last of the others a promise of Node's: a version that does not know it would not start. */
const SAVING_SINCE = 24;
const NEWEST_TRIED = 26;
/**
 * The C library (glibc; others ignore it) has a heap for almost each thread otherwise, and keeps what they had. Pieces of half a megabyte get
 * memory of their own, which goes back to the system with them: else tables that grow leave holes.
 */
const C_HEAPS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '524288', MALLOC_TRIM_THRESHOLD_: '524288' };
/**
 * Where the processor has memory protection keys, V8 guards the code that it makes by them, and where many threads make code it now and then
 * ends the process over it ("Check failed: jit_page.has_value()"). A crawl must last a night.
 */
const NO_KEYS = '--no-memory-protection-keys';
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string} version */
function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

/** The Node.js that a clone brings as a pinned dependency, beside the package or hoisted above it. */
function pinnedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const packages = [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
  for (let folder = ROOT; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    const candidates = packages.map((pkg) => join(modules, pkg, 'bin', name)).concat(join(modules, '.bin', name));
    for (const candidate of candidates) {
      if (!existsSync(candidate)) continue;
      const answer = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
      if (answer.status === 0 && isNewEnough(answer.stdout.trim())) return candidate;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Runs this very command on another Node.js, which gets our terminal, our signals and gives us its exit code. */
function runWith(node) {
  // Over the channel the child notices when we are killed, and ends as well: no crawl goes on unseen.
  const child = spawn(node, startFlags().concat(process.execArgv, process.argv.slice(1)), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: Object.assign({}, environment(), { BINGO_CHILD: '1' }),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both of us; passing it on would count as a second Ctrl-C.
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`error: ${node} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/** What V8 takes at its start alone. */
function startFlags() {
  const hasKeys = process.platform === 'linux' && process.arch === 'x64' && majorVersion() <= NEWEST_TRIED;
  const isAsked = process.execArgv.includes(NO_KEYS);
  return heapFlags().concat(hasKeys && !isAsked && HUNGRY.includes(process.argv[2]) ? [NO_KEYS] : []);
}

/**
 * Commands that hold much get a smaller heap, and fewer of the C library's: a third less memory for some four per cent of CPU
 * time (docs/benchmarks.md), unless whoever calls us has chosen a size.
 */
function heapFlags() {
  const chosen = process.execArgv.concat(process.env.NODE_OPTIONS || '').join(' ');
  return HUNGRY.includes(process.argv[2]) && !/semi-space-size|heap-growing-percent/.test(chosen)
    ? LEAN_HEAP.slice(0, majorVersion() > NEWEST_TRIED ? 2 : 3)
    : [];
}

function majorVersion() {
  return Number(/\d+/.exec(process.version));
}

function environment() {
  return heapFlags().length === 0 ? process.env : Object.assign({}, C_HEAPS, process.env);
}

/**
 * The process begins anew as itself, with these flags. Where that cannot be (Windows, a parent with a channel to us), it goes
 * on as it is.
 */
function startAnew() {
  if (startFlags().length === 0 || !process.execve || process.platform === 'win32' || process.channel) return;
  const words = startFlags().concat(process.execArgv, process.argv.slice(1));
  process.execve(process.execPath, [process.execPath].concat(words), environment());
}

async function start() {
  if (!process.env.NODE_ENV) process.env.NODE_ENV = 'production';
  const isChild = process.env.BINGO_CHILD === '1';
  delete process.env.BINGO_CHILD;
  if (isChild && process.channel) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    process.channel.unref();
  }
  const entry = join(ROOT, 'dist', 'main.js');
  if (!existsSync(entry)) {
    console.error('error: Bingo is not built yet.\nRun  npm ci && npm run build  in its folder first.');
    process.exitCode = 1;
    return;
  }
  // No thread runs yet.
  if (process.execArgv.includes(LEAN_HEAP[0])) {
    // Else it would go before the limits that threads are given. This one has its size.
    setFlagsFromString('--max-semi-space-size=0');
    if (majorVersion() >= SAVING_SINCE && majorVersion() <= NEWEST_TRIED) setFlagsFromString(SAVER);
  }
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(process.argv.slice(2));
}

if (isNewEnough(process.version)) {
  startAnew();
  await start();
} else {
  const node = pinnedNode();
  if (node === undefined) {
    console.error(
      `error: Bingo needs Node.js ${LEAST.join('.')} or newer; this is ${process.version}.\n` +
        'Install a current one from https://nodejs.org/, or give it one of its own: beside the package run  npm install node@24,\n' +
        'in a clone  npm ci.',
    );
    process.exitCode = 2;
  } else {
    runWith(node);
  }
}
