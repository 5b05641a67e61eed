import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import dns from 'dns-packet';
import { bindError } from './bind-error.ts';

/** Resolves a name to an IPv4 address, or `undefined` if it does not exist. */
export type Zone = (name: string) => string | undefined;

export interface DnsServer {
  readonly port: number;
  close(): Promise<void>;
}

const TTL_SECONDS = 60;
const NXDOMAIN = 3;
const PORT_TRIES = 20;

/**
 * Starts a name server over UDP and TCP that answers A queries from a zone (RFC 1035). Other types of a known name
 * get an empty answer, unknown names NXDOMAIN.
 * @param port 0 = any port free for both protocols
 */
export async function serveDns(zone: Zone, host: string, port: number): Promise<DnsServer> {
  for (let tries = 1; ; tries++) {
    const udp = await bindUdp(zone, host, port);
    const chosen = udp.address().port;
    try {
      const tcp = await listenTcp(zone, host, chosen);
      return { port: chosen, close: () => closeBoth(udp, tcp) };
    } catch (error) {
      udp.close();
      if (port !== 0 || tries === PORT_TRIES) throw bindError(error, host, chosen, 'DNS');
    }
  }
}

function answer(zone: Zone, packet: Buffer): Buffer | undefined {
  const query = decode(packet);
  const question = query?.questions?.[0];
  if (query === undefined || query.type !== 'query' || question === undefined) return undefined;
  const address = zone(question.name.toLowerCase().replace(/\.$/, ''));
  const wantsA = question.type === 'A' || String(question.type) === 'ANY';
  const rcode = address === undefined ? NXDOMAIN : 0;
  const recursion = (query.flags ?? 0) & dns.RECURSION_DESIRED;
  return dns.encode({
    type: 'response',
    id: query.id ?? 0,
    flags: dns.AUTHORITATIVE_ANSWER | recursion | rcode,
    questions: [question],
    answers:
      address !== undefined && wantsA ? [{ type: 'A', name: question.name, ttl: TTL_SECONDS, data: address }] : [],
  });
}

/** Clients can send anything to a port; invalid DNS messages get no answer. */
function decode(packet: Buffer): dns.Packet | undefined {
  try {
    return dns.decode(packet);
  } catch {
    return undefined;
  }
}

function bindUdp(zone: Zone, host: string, port: number): Promise<UdpSocket> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (packet, from) => {
    const reply = answer(zone, packet);
    // A disconnected client is not an error.
    if (reply !== undefined) socket.send(reply, from.port, from.address, () => {});
  });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => reject(bindError(error, host, port, 'DNS')));
    socket.bind(port, host, () => resolve(socket));
  });
}

function listenTcp(zone: Zone, host: string, port: number): Promise<Server> {
  const server = createServer((socket) => serveTcp(zone, socket));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** Over TCP, a two-byte length precedes each message (RFC 1035 §4.2.2). */
function serveTcp(zone: Zone, socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const reply = answer(zone, pending.subarray(2, end));
      pending = pending.subarray(end);
      if (reply === undefined) {
        socket.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    }
  });
}

async function closeBoth(udp: UdpSocket, tcp: Server): Promise<void> {
  await new Promise<void>((resolve) => udp.close(() => resolve()));
  await new Promise<void>((resolve) => tcp.close(() => resolve()));
}
