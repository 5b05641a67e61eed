import { isIPv6, type Socket } from 'node:net';
import { codeOf } from './dns/dns-answer.ts';

/** A connection and its address. */
export interface Dialled {
  readonly socket: Socket;
  readonly address: string;
}

/** Alternates IPv4 and IPv6 addresses, beginning with the family of the first one (RFC 8305 §4). */
export function byTurns(addresses: readonly string[]): readonly string[] {
  const [first = ''] = addresses;
  const isOfFirst = (address: string): boolean => isIPv6(address) === isIPv6(first);
  const some = addresses.filter(isOfFirst);
  const others = addresses.filter((address) => !isOfFirst(address));
  const paired = some.flatMap((address, i) => [address, ...others.slice(i, i + 1)]);
  return [...paired, ...others.slice(some.length)];
}

/**
 * Dials the addresses in turn. The next one is dialled if one is unreachable or has not answered after `delayMs`;
 * earlier ones may still answer. The first connection wins (RFC 8305 §5).
 * @param addresses - at least one
 * @throws the error of the first address that this machine has a route to
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

/** This machine has no route to the address, or to any address of its family. */
const WITHOUT_WAY = /^(?:ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;
const UNREACHABLE = /^(?:ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Returns true if no server responded at that address; another address may work. */
function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.test(codeOf(error)) || isWithoutWay(error);
}

function isWithoutWay(error: unknown): boolean {
  return WITHOUT_WAY.test(codeOf(error));
}
