import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BINGO } from './bingo-process.ts';
import { missingLine, type Step } from './tutorial.ts';

/** A server that does not answer, or a screen that does not show what it should, fails after this time. */
const WAIT_MS = 60_000;
/** Commands that run until Ctrl-C: a tutorial starts them in a terminal of its own. */
const SERVERS = /^bingo (?:demo --serve|serve|lab serve|portal .*--serve)\b/;
/** Commands that ask questions. */
const ASKING = /^bingo find (?!.*(?:--json|< \/dev\/null))/;
const TYPED_LINES = 500;

/** The result of a command. */
export interface Ran {
  readonly code: number | null;
  /** stdout and stderr, in the order in which they were written. */
  readonly out: string;
}

/**
 * A reader who types the commands of a document in an empty folder: one shell, servers beside it, and a terminal for
 * commands that ask.
 */
export class Reader {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #shell: ChildProcess;
  readonly #servers = new Map<string, ChildProcess>();
  readonly #socket: string;
  readonly #ports = new Map<string, string>();
  #count = 0;

  /** @param folder is created; the reader works in `work` below it */
  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#socket = `bingo-reader-${process.pid}-${folder.replace(/\W/g, '').slice(-8)}`;
    mkdirSync(join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'work'));
    for (const [name, script] of Object.entries(PROGRAMS)) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}`);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    const path = `${join(folder, 'bin')}:${process.env.PATH}`;
    this.#env = { ...process.env, ...env, PATH: path, HOME: folder, TERM: 'xterm-256color' };
    this.#shell = spawn('bash', [], { cwd: join(folder, 'work'), env: this.#env, stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** The folder in which the commands run. */
  get work(): string {
    return join(this.#folder, 'work');
  }

  /** Types a step and compares what it shows. @throws Error that names the line of the document */
  async follow(step: Step, document: string): Promise<void> {
    const command = await this.local(step.command);
    const where = `${document}:${step.line}: ${step.command}`;
    const last = step.parts.at(-1)!;
    const fail = (what: string, out: string): never => {
      throw new Error(`${where}\n${what}\n--- its output:\n${out}`);
    };
    const check = async (shown: readonly string[], out: string): Promise<void> => {
      const missing = missingLine(await Promise.all(shown.map((line) => this.local(line))), out);
      if (missing !== undefined) fail(`The document shows: ${missing}`, out);
    };
    if (SERVERS.test(command)) {
      await check(step.parts[0]!.shown, await this.#serve(command, fail));
    } else if (ASKING.test(command)) {
      await this.#converse(step, command, check);
    } else {
      const { code, out } = await this.run(command);
      if (code !== 0) fail(`It ended with ${code}.`, out);
      await check(last.shown, out);
    }
  }

  /** Runs a command in the shell, without a terminal. Exports and folders stay for the next one. */
  async run(command: string): Promise<Ran> {
    const base = join(this.#folder, `step-${++this.#count}`);
    this.#shell.stdin!.write(
      `{ ${command}\n} > ${base}.out 2>&1 < /dev/null; echo $? > ${base}.tmp; export -p > ${this.#folder}/exports; mv ${base}.tmp ${base}.code\n`,
    );
    const code = await until(() => readText(`${base}.code`), 5 * WAIT_MS);
    return { code: code === undefined ? null : Number(code), out: readText(`${base}.out`) ?? '' };
  }

  /** Ends everything that was started. */
  async close(): Promise<void> {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server']);
    this.#shell.kill('SIGKILL');
    for (const port of [...this.#servers.keys()]) await this.#end(port);
  }

  /** Starts a server instead of the one on the same port; returns what it prints once it answers. */
  async #serve(command: string, fail: (what: string, out: string) => never): Promise<string> {
    const port = /--port (\d+)/.exec(command)?.[1] ?? '';
    await this.#end(port);
    const exports = readText(join(this.#folder, 'exports')) ?? '';
    const child = spawn('bash', ['-c', `${exports}\nexec ${command} 2>&1`], {
      cwd: this.work,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    this.#servers.set(port, child);
    const answered = await until(async () => {
      if (child.exitCode !== null) fail(`It ended with ${child.exitCode}.`, out);
      return (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) && 'yes';
    });
    if (answered === undefined) fail(`It does not answer on port ${port}.`, out);
    await sleep(200);
    return out;
  }

  async #end(port: string): Promise<void> {
    const child = this.#servers.get(port);
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
    this.#servers.delete(port);
  }

  /** Runs a command in a terminal and types the reader's answers. */
  async #converse(
    step: Step,
    command: string,
    check: (shown: readonly string[], out: string) => Promise<void>,
  ): Promise<void> {
    const tmux = (...words: readonly string[]): string => {
      const { stdout, stderr, status } = spawnSync('tmux', ['-L', this.#socket, ...words], {
        encoding: 'utf8',
        env: this.#env,
      });
      if (status !== 0) throw new Error(`tmux ${words[0]}: ${stderr}`);
      return stdout;
    };
    const script = join(this.#folder, 'asking.sh');
    const exports = readText(join(this.#folder, 'exports')) ?? '';
    writeFileSync(script, `${exports}\ncd ${this.work}\n${command}\necho "ended with $?"\nexec sleep 600\n`);
    tmux('new-session', '-d', '-s', 'reader', '-x', '100', '-y', '40', `bash ${script}`);
    const screen = (): string => tmux('capture-pane', '-p', '-J', '-S', `-${TYPED_LINES}`, '-t', 'reader');
    let before = '';
    for (const { shown, typed } of [...step.parts.slice(0, -1), { ...step.parts.at(-1)!, typed: 'q' }]) {
      const text = await until(() => {
        const all = screen().trimEnd();
        if (/ended with \d+$/.test(all)) throw new Error(`${command}: it ended before "${typed}" was typed.\n${all}`);
        return all !== before && /(?:\n>|cancel:)$/.test(all) ? all : undefined;
      });
      if (text === undefined) throw new Error(`${command}: it does not ask for "${typed}".\n${screen()}`);
      await check(shown, text.startsWith(before) ? text.slice(before.length) : text);
      before = `${text} ${typed}`;
      tmux('send-keys', '-t', 'reader', typed ?? '', 'Enter');
    }
    const end = await until(() => /ended with (\d+)/.exec(screen())?.[1]);
    if (end !== '0') throw new Error(`${command}: it ended with ${end}.\n${screen()}`);
    tmux('kill-session', '-t', 'reader');
  }

  /** Replaces the ports of a document by free ones. */
  async local(text: string): Promise<string> {
    for (const port of text.match(/\b8\d{3}\b/g) ?? [])
      if (!this.#ports.has(port)) this.#ports.set(port, String(await freePort()));
    return text.replace(/\b8\d{3}\b/g, (port) => this.#ports.get(port)!);
  }
}

/** Programs of the reader: Bingo as it is built, and npm without its installations and builds. */
const PROGRAMS: Readonly<Record<string, string>> = {
  bingo: `exec "${process.execPath}" "${BINGO}" "$@"\n`,
  npx: 'exec "$@"\n',
  npm: '[ "$1" = ci ] || exec bingo "$2"\n',
};

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function until<T>(ask: () => T | undefined | Promise<T | undefined>, time = WAIT_MS): Promise<T | undefined> {
  for (const end = Date.now() + time; Date.now() < end; await sleep(50)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
