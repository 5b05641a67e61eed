import { createSocket, type RemoteInfo } from 'node:dgram';
import packet from 'dns-packet';

/** How a name server answers for a name. */
export type Zone =
  | {
      readonly kind: 'addresses';
      readonly v4?: readonly string[];
      /** `silent`: no answer for IPv6. */
      readonly v6?: readonly string[] | 'silent';
      readonly ttl?: number;
    }
  /** The addresses of the first answer, the second, and so on. The last one repeats. */
  | { readonly kind: 'changing'; readonly v4: readonly (readonly string[])[]; readonly ttl?: number }
  | { readonly kind: 'cname'; readonly to: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'slow'; readonly afterMs: number; readonly v4: readonly string[] }
  | { readonly kind: 'error'; readonly code: 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED' }
  | { readonly kind: 'garbage' };

/** A name server on loopback. */
export interface TinyDns {
  /** `127.0.0.1:port`, for `network.dnsServers`. */
  readonly address: string;
  /** Every query, as `A name` or `AAAA name`, in order. */
  readonly questions: readonly string[];
  /** Changes or adds a name. */
  set(name: string, zone: Zone): void;
  close(): Promise<void>;
}

interface Answer {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly name: string;
  readonly ttl: number;
  readonly data: string;
}

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const MAX_CNAMES = 10;

/**
 * Starts a name server.
 * @param zones - by name in lower case; `*` answers for all other names, which otherwise do not exist
 */
export async function startTinyDns(zones: Readonly<Record<string, Zone>>): Promise<TinyDns> {
  const names = new Map(Object.entries(zones));
  const questions: string[] = [];
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  let isOpen = true;

  socket.on('message', (message, peer) => {
    const query = packet.decode(message);
    const question = query.questions?.[0];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    const zone = names.get(name) ?? names.get('*') ?? { kind: 'error', code: 'NXDOMAIN' };
    questions.push(`${question.type} ${name}`);
    if (zone.kind === 'silent') return;
    if (zone.kind === 'garbage') return void socket.send(Buffer.from('no DNS at all'), peer.port, peer.address);
    if (question.type === 'AAAA' && 'v6' in zone && zone.v6 === 'silent') return;
    const reply = (answers: readonly Answer[], rcode: number): void => send(query, answers, rcode, peer);
    if (zone.kind === 'error') return reply([], RCODES[zone.code]);
    const answers = answersOf(name, question.type, 0);
    if (zone.kind === 'slow') return void setTimeout(() => reply(answers, 0), zone.afterMs).unref();
    reply(answers, 0);
  });

  function answersOf(name: string, type: string, depth: number): Answer[] {
    const zone = names.get(name) ?? names.get('*');
    if (zone?.kind === 'cname' && depth < MAX_CNAMES) {
      return [{ type: 'CNAME', name, ttl: 60, data: zone.to }, ...answersOf(zone.to, type, depth + 1)];
    }
    const ttl = zone !== undefined && 'ttl' in zone ? (zone.ttl ?? 60) : 60;
    if (type === 'A') {
      const v4 =
        zone?.kind === 'changing' ? next(name, zone.v4) : zone !== undefined && 'v4' in zone ? (zone.v4 ?? []) : [];
      return (v4 as readonly string[]).map((data) => ({ type: 'A', name, ttl, data }));
    }
    const v6 = zone?.kind === 'addresses' && zone.v6 !== 'silent' ? (zone.v6 ?? []) : [];
    return type === 'AAAA' ? v6.map((data) => ({ type: 'AAAA', name, ttl, data })) : [];
  }

  function next(name: string, turns: readonly (readonly string[])[]): readonly string[] {
    const turn = asked.get(name) ?? 0;
    asked.set(name, turn + 1);
    return turns[Math.min(turn, turns.length - 1)] ?? [];
  }

  function send(query: packet.DecodedPacket, answers: readonly Answer[], rcode: number, peer: RemoteInfo): void {
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode;
    const questions = query.questions ?? [];
    const reply = packet.encode({ type: 'response', id: query.id ?? 0, flags, questions, answers: [...answers] });
    // A delayed answer may be due after the server has closed.
    if (isOpen) socket.send(reply, peer.port, peer.address);
  }

  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set: (name, zone) => void names.set(name, zone),
    close: () => {
      isOpen = false;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}
