/** Forwards connections to a Unix socket, from within a network namespace; see `veth-link.ts`. */
import { connect, createServer, type Socket } from 'node:net';

const [path = '', port = ''] = process.argv.slice(2);
const clients = new Set<Socket>();

createServer((client) => {
  const server = connect(path);
  clients.add(client);
  for (const socket of [client, server]) {
    socket.on('error', () => {});
    socket.on('close', () => {
      clients.delete(client);
      client.destroy();
      server.destroy();
    });
  }
  client.pipe(server).pipe(client);
}).listen(Number(port), () => process.send?.('ready'));

process.on('message', () => {
  for (const client of clients) client.resetAndDestroy();
});
process.on('disconnect', () => process.exit(0));
