import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isPublicAddress } from './address.ts';

/** The mail server of the user. */
export interface MailServer {
  /** `smtp://user@host:port` or `smtps://…`, without password. */
  readonly address: string;
  /** `undefined` = no login. */
  readonly password: string | undefined;
  readonly timeoutMs: number;
  readonly insecureTls: boolean;
}

/** A mail in plain text. */
export interface Mail {
  /** Stays the same if the mail is sent again, so that receivers can drop the copy. */
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

const SUBMISSION_PORT = 587;
const TLS_PORT = 465;

/**
 * Sends a mail by a server that the user names. That server may be anywhere. Outside this machine, mail is sent over
 * TLS only: STARTTLS for `smtp:`.
 * @throws Error that says why the server did not take it, and what to change; never with the password
 */
export async function sendMail(server: MailServer, mail: Mail): Promise<void> {
  const { protocol, hostname, port, username } = new URL(server.address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const place = { host, port: Number(port) || (secure ? TLS_PORT : SUBMISSION_PORT), secure };
  const tls = { servername: isIP(host) === 0 ? host : undefined, rejectUnauthorized: !server.insecureTls };
  const { createTransport } = await import('nodemailer');
  const times = { greetingTimeout: server.timeoutMs, socketTimeout: server.timeoutMs };
  const transport = createTransport({
    ...{ ...place, ...times, tls, requireTLS: !secure && !isThisMachine(host) },
    ...(server.password !== undefined && { auth: { user: decodeURIComponent(username), pass: server.password } }),
    // Every connection of Bingo is opened in this folder. Data of web pages opens none.
    getSocket: (_, callback) => {
      dial({ ...place, tls, timeoutMs: server.timeoutMs }).then(
        (connection) => callback(null, { connection, secured: secure }),
        (error: Error) => callback(error, false),
      );
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { id, from, to, subject, text } = mail;
    const headers = { 'Auto-Submitted': 'auto-generated' };
    await transport.sendMail({ messageId: `<${id}@bingo-crawler>`, from, to: [...to], subject, text, headers });
  } catch (error) {
    throw new Error(`mail server ${host}:${place.port} ${problemOf(error as MailError)}`, { cause: error });
  } finally {
    transport.close();
  }
}

/** Errors of Node.js, of nodemailer, and answers of the server. */
interface MailError extends Error {
  readonly code?: string;
  readonly response?: string;
}

/** Returns what went wrong and what to do about it, to follow the name of the server. */
function problemOf({ code = '', message, response }: MailError): string {
  const said = (response ?? message).split('\n', 1)[0]!;
  if (/certificate|altnames/i.test(message)) {
    const what = message.split(/; if the root CA|\. Host:/, 1)[0]!;
    return `has a certificate that does not verify (${what}): name its authority in NODE_EXTRA_CA_CERTS, or set network.insecureTls: true`;
  }
  switch (code) {
    case 'ETLS':
      return 'has no STARTTLS: mail leaves this machine over TLS only. Use smtps:// or another port in notify.mailServer';
    case 'EAUTH':
      return `rejected the user name or password (notify.mailServer, notify.mailPassword): ${said}`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'does not begin with TLS: use smtp:// in notify.mailServer';
    case 'ETIMEDOUT':
      return 'did not greet in time. If it begins with TLS, use smtps:// in notify.mailServer';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a name that no name server knows: check notify.mailServer';
    case 'ECONNREFUSED':
      return 'does not answer at this port: check notify.mailServer';
    default:
      return `did not take the mail: ${said}`;
  }
}

interface Dialled {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly tls: { readonly servername: string | undefined; readonly rejectUnauthorized: boolean };
  readonly timeoutMs: number;
}

function dial({ host, port, secure, tls, timeoutMs }: Dialled): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { rejectUnauthorized, servername } = tls;
    const begun = { host, port, timeout: timeoutMs };
    const socket = secure
      ? connectTls({ ...begun, rejectUnauthorized, ...(servername !== undefined && { servername }) })
      : connect(begun);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout').removeAllListeners('error');
      resolve(socket);
    });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)));
    socket.once('error', reject);
  });
}

/** Whether the mail stays on this machine. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && !isPublicAddress(host) && /^(?:127\.|::1$)/.test(host));
}
