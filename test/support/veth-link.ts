import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

const FORWARDER = new URL('./veth-forwarder.ts', import.meta.url).pathname;
const PORT = 3306;
/** Each link has four addresses of this network. */
const NETWORK = `10.231.${process.pid % 250}`;

let links = 0;

/** Why no network namespace can be made here, or `undefined` if one can. */
export function whyNoVeth(): string | undefined {
  const name = `bingo-${process.pid}`;
  const { status, stderr } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (status === 0) spawnSync('ip', ['netns', 'delete', name]);
  return status === 0
    ? undefined
    : `no network namespace can be made: ${stderr?.trim() || 'the program ip is missing'}`;
}

/**
 * A way to a database server of this machine over a network link of its own, which can be set down: packets are lost, and
 * routes with it. Behind the link is a network namespace, whose only process forwards to the server's Unix socket.
 */
export class VethLink {
  readonly #name: string;
  readonly #address: string;
  readonly #child: ChildProcess;

  private constructor(name: string, address: string, child: ChildProcess) {
    this.#name = name;
    this.#address = address;
    this.#child = child;
  }

  static async to(url: string): Promise<VethLink> {
    const first = 4 * ++links;
    const name = `bingo${process.pid % 10_000}n${links}`;
    const [outside, inside] = [`${NETWORK}.${first + 1}`, `${NETWORK}.${first + 2}`];
    ip('netns', 'add', name);
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'inside', 'netns', name);
    ip('address', 'add', `${outside}/30`, 'dev', name);
    ip('-n', name, 'address', 'add', `${inside}/30`, 'dev', 'inside');
    ip('link', 'set', name, 'up');
    ip('-n', name, 'link', 'set', 'inside', 'up');
    const words = ['netns', 'exec', name, process.execPath, FORWARDER, await socketOf(url), String(PORT)];
    const child = spawn('ip', words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    return new VethLink(name, inside, child);
  }

  /** Returns the URL of the server by way of this link. */
  through(url: string): string {
    const other = new URL(url);
    other.hostname = this.#address;
    other.port = String(PORT);
    return other.href;
  }

  /** Resets every connection. New ones are forwarded. */
  reset(): void {
    this.#child.send('reset');
  }

  /** Sets the link down. Connections stay open. */
  stall(): void {
    ip('link', 'set', this.#name, 'down');
  }

  async resume(): Promise<void> {
    ip('link', 'set', this.#name, 'up');
  }

  /** Removes the link. */
  async refuse(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    spawnSync('ip', ['link', 'delete', this.#name]);
    spawnSync('ip', ['netns', 'delete', this.#name]);
  }
}

function ip(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
}

async function socketOf(url: string): Promise<string> {
  const server = new URL(url);
  server.pathname = '/';
  const connection = await createConnection(server.href);
  const [[row]] = await connection.query<RowDataPacket[]>('select @@socket as path');
  await connection.end();
  return String(row?.path);
}
