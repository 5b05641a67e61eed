import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, it } from 'vitest';
import { sendMail } from '../../src/fetch/index.ts';
import { selfSigned } from '../../src/lab/serve/self-signed.ts';

const PASSWORD = 'pass word';
/** Leads to loopback, but is not written as an address of this machine: TLS is required. */
const ELSEWHERE = '127.1';
const MAIL = { id: '1', from: 'a@bikes.test', to: ['b@bikes.test'], subject: 'News', text: 'A new page.' };

interface Sent {
  readonly error: string;
  /** What the server received, each with whether it arrived over TLS. */
  readonly seen: readonly string[];
}

interface Attempt {
  readonly url: string;
  readonly options: SMTPServerOptions;
  readonly insecureTls?: boolean;
}

/** Sends a mail to a server on loopback. `PORT` in the URL is its port. */
async function sendTo({ url, options, insecureTls = false }: Attempt): Promise<Sent> {
  const seen: string[] = [];
  const server = new SMTPServer({
    authMethods: ['PLAIN'],
    onAuth: ({ username, password }, { secure }, done) => {
      seen.push(`login ${username} ${password} ${secure ? 'over TLS' : 'in the clear'}`);
      if (password === PASSWORD) done(null, { user: username });
      else done(new Error('no such user'));
    },
    onData: (stream, { secure }, done) => {
      seen.push(`mail ${secure ? 'over TLS' : 'in the clear'}`);
      stream.resume().on('end', () => done());
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.server.address() as AddressInfo;
  const address = url.replace('PORT', String(port));
  const password = address.includes('wrong@') ? 'guess' : PASSWORD;
  try {
    await sendMail({ address, password, timeoutMs: 2_000, insecureTls }, MAIL);
    return { error: '', seen };
  } catch (error) {
    return { error: (error as Error).message, seen };
  } finally {
    await new Promise<void>((closed) => server.close(closed));
  }
}

const OVER_TLS = [`login me ${PASSWORD} over TLS`, 'mail over TLS'];

it('logs in and sends over STARTTLS, also to this machine if the server offers it', async () => {
  for (const host of [ELSEWHERE, '127.0.0.1']) {
    const options = selfSigned(['mail.test']);
    const sent = await sendTo({ url: `smtp://me@${host}:PORT`, options, insecureTls: true });
    expect(sent).toEqual({ error: '', seen: OVER_TLS });
  }
});

it('logs in and sends over TLS from the start', async () => {
  const options = { ...selfSigned(['mail.test']), secure: true };
  expect(await sendTo({ url: `smtps://me@${ELSEWHERE}:PORT`, options, insecureTls: true })).toEqual({
    error: '',
    seen: OVER_TLS,
  });
});

it('shows no password to a server whose certificate does not verify, and says what to do', async () => {
  for (const [scheme, secure] of [
    ['smtp', false],
    ['smtps', true],
  ] as const) {
    const { error, seen } = await sendTo({
      url: `${scheme}://me@${ELSEWHERE}:PORT`,
      options: { ...selfSigned(['mail.test']), secure },
    });
    expect(error).toMatch(
      /^mail server 127\.1:\d+ has a certificate that does not verify \(self-signed certificate\): .*NODE_EXTRA_CA_CERTS.*network\.insecureTls/,
    );
    expect(seen).toEqual([]);
  }
});

it('sends nothing in the clear to another machine', async () => {
  const { error, seen } = await sendTo({
    url: `smtp://me@${ELSEWHERE}:PORT`,
    options: { disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
    insecureTls: true,
  });
  expect([error, seen]).toEqual([expect.stringContaining('has no STARTTLS'), []]);
});

it('names a rejected login without the password', async () => {
  const options = selfSigned(['mail.test']);
  const { error } = await sendTo({ url: `smtp://wrong@${ELSEWHERE}:PORT`, options, insecureTls: true });
  expect(error).toMatch(/rejected the user name or password .*535/);
  expect(error).not.toContain('guess');
});

it('names the other scheme if server and address disagree about TLS', async () => {
  const certificate = selfSigned(['mail.test']);
  const plain = await sendTo({ url: `smtps://me@${ELSEWHERE}:PORT`, options: certificate });
  expect(plain.error).toContain('use smtp://');
  const secure = await sendTo({ url: `smtp://me@${ELSEWHERE}:PORT`, options: { ...certificate, secure: true } });
  expect(secure.error).toContain('use smtps://');
});

it('names a mail server that is unknown or does not answer', async () => {
  const send = (address: string) =>
    sendMail({ address, password: undefined, timeoutMs: 2_000, insecureTls: false }, MAIL);
  await expect(send('smtp://mail.invalid')).rejects.toThrow(
    'mail server mail.invalid:587 has a name that no name server knows',
  );
  await expect(send('smtp://127.0.0.1:1')).rejects.toThrow('mail server 127.0.0.1:1 does not answer at this port');
});
