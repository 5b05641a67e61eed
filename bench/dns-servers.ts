/** Name servers for `npm run bench:dns`, in a process of their own: UDP on loopback, each with a nature of its own. */
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import packet from 'dns-packet';

/** How a name server behaves. */
export interface Nature {
  /** Milliseconds before each answer. */
  readonly afterMs: number;
  /** Share of questions never answered. */
  readonly lost: number;
  /** Share of questions answered with SERVFAIL. */
  readonly failing: number;
}

const SERVFAIL = 2;

async function serve({ afterMs, lost, failing }: Nature, number: number): Promise<string> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  let asked = 0;
  socket.on('message', (message, peer) => {
    const query = packet.decode(message);
    const [question] = query.questions ?? [];
    if (question === undefined) return;
    // Every so many questions go wrong: the same in each run.
    const share = (asked++ * 0.618_034 + number * 0.31) % 1;
    if (share < lost) return;
    const failed = share < lost + failing;
    const isKnown = !failed && question.type === 'A';
    const answers = isKnown ? [{ type: 'A' as const, name: question.name, ttl: 300, data: '192.0.2.7' }] : [];
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (failed ? SERVFAIL : 0);
    const reply = packet.encode({ type: 'response', id: query.id ?? 0, flags, questions: [question], answers });
    if (afterMs > 0) setTimeout(() => socket.send(reply, peer.port, peer.address), afterMs);
    else socket.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}

process.on('message', (natures: readonly Nature[]) => {
  void Promise.all(natures.map(serve)).then((addresses) => process.send?.(addresses));
});
process.on('disconnect', () => process.exit(0));
