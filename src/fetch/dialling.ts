import { isIPv6, type Socket } from 'node:net';
import { codeOf } from './dns/dns-answer.ts';

/** A connection, and to which address. */
export interface Dialled {
  readonly socket: Socket;
  readonly address: string;
}

/** Addresses of the two families by turns, beginning with the family of the first one (RFC 8305 §4). */
export function byTurns(addresses: readonly string[]): readonly string[] {
  const [first = ''] = addresses;
  const isOfFirst = (address: string): boolean => isIPv6(address) === isIPv6(first);
  const some = addresses.filter(isOfFirst);
  const others = addresses.filter((address) => !isOfFirst(address));
  const paired = some.flatMap((address, i) => [address, ...others.slice(i, i + 1)]);
  return [...paired, ...others.slice(some.length)];
}

/**
 * Dials one address after the other, the next one when one cannot be reached or has not answered after `delayMs`; those before it
 * may still answer. The first connection wins (RFC 8305 §5).
 * @param addresses - at least one
 * @throws what stood in the way at the first address, but for want of a way out of this machine
 */
export function dialFirst(
  addresses: readonly string[],
  dial: (address: string) => Promise<Socket>,
  delayMs: number,
): Promise<Dialled> {
  return new Promise((resolve, reject) => new Dialling(addresses, { dial, delayMs, resolve, reject }).dialNext());
}

interface DiallingOptions {
  readonly dial: (address: string) => Promise<Socket>;
  readonly delayMs: number;
  readonly resolve: (dialled: Dialled) => void;
  readonly reject: (error: unknown) => void;
}

class Dialling {
  readonly #options: DiallingOptions;
  readonly #left: string[];
  #waiting = 0;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(addresses: readonly string[], options: DiallingOptions) {
    this.#left = [...addresses];
    this.#options = options;
  }

  dialNext(): void {
    clearTimeout(this.#timer);
    const address = this.#left.shift();
    if (address === undefined) return;
    const { dial, delayMs } = this.#options;
    this.#waiting++;
    if (this.#left.length > 0) this.#timer = setTimeout(() => this.dialNext(), delayMs);
    dial(address).then(
      (socket) => this.#connected(socket, address),
      (error: unknown) => this.#failed(error),
    );
  }

  #connected(socket: Socket, address: string): void {
    if (this.#isOver) return void socket.destroy();
    this.#end();
    this.#options.resolve({ socket, address });
  }

  #failed(error: unknown): void {
    this.#waiting--;
    if (this.#isOver) return;
    if (this.#failure === undefined || (isWithoutWay(this.#failure) && !isWithoutWay(error))) this.#failure = error;
    if (!isUnreachable(error)) this.#giveUp(error);
    else if (this.#left.length > 0) this.dialNext();
    else if (this.#waiting === 0) this.#giveUp(this.#failure);
  }

  #giveUp(error: unknown): void {
    this.#end();
    this.#options.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

/** This machine has no way to the address, or to any of its family. */
const WITHOUT_WAY = /^(?:ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;
const UNREACHABLE = /^(?:ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Nothing was heard of a server there; another address may lead to one. */
function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.test(codeOf(error)) || isWithoutWay(error);
}

function isWithoutWay(error: unknown): boolean {
  return WITHOUT_WAY.test(codeOf(error));
}
