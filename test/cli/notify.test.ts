import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NewsMessage } from '../../src/workbench/notify/notify-state.ts';
import { bikeWorkspace } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';
import { type LivingWeb, startLivingWeb } from './support/living-web.ts';

const KEY = 'a key of the receiver';
const PASSWORD = 'pass word';
const ENV = { HOOK_KEY: KEY, MAIL_PASSWORD: PASSWORD };

interface Call {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let living: LivingWeb;
let root: string;
let dir: string;
let hooks: Server;
let calls: Call[] = [];
let status = 204;
let mails: string[] = [];
let logins: string[] = [];
const smtp = new SMTPServer({
  authMethods: ['PLAIN'],
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password }, _session, done) => {
    logins.push(`${username} ${password}`);
    done(null, { user: username });
  },
  onData: (stream, _session, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      mails.push(Buffer.concat(chunks).toString('utf8'));
      done();
    });
  },
});

beforeAll(async () => {
  living = await startLivingWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-notify-'));
  hooks = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(status, status === 302 ? { location: 'http://169.254.169.254/' } : {}).end();
  }).listen(0, '127.0.0.1');
  await once(hooks, 'listening');
  await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
  dir = join(root, 'bikes');
  mkdirSync(dir);
  const notify =
    `notify:\n  atom: news.xml\n  webhooks: ["http://127.0.0.1:${portOf(hooks)}/secret-path"]\n  webhookKey: env:HOOK_KEY\n` +
    `  mailTo: [you@example.org]\n  mailServer: smtp://me@127.0.0.1:${portOf(smtp.server)}\n  mailPassword: env:MAIL_PASSWORD\n`;
  writeFileSync(
    join(dir, 'bingo.yaml'),
    bikeWorkspace(living.web, `recheck: {goneAfter: 1}\ncrawl: {budget: 20, learn: 4}\n${notify}`),
  );
});
afterAll(async () => {
  await living.web.close();
  await new Promise((closed) => hooks.close(closed));
  await new Promise<void>((closed) => smtp.close(closed));
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  [calls, mails, logins, status] = [[], [], [], 204];
});

function portOf(server: { address(): AddressInfo | string | null }): number {
  return (server.address() as AddressInfo).port;
}

function notify(...flags: readonly string[]) {
  return run(['notify', dir, ...flags], { env: ENV });
}

function messageOf({ body }: Call): NewsMessage {
  return JSON.parse(body) as NewsMessage;
}

it('needs a channel, and accepts no secret in bingo.yaml', async () => {
  const bare = join(root, 'bare');
  mkdirSync(bare);
  writeFileSync(join(bare, 'bingo.yaml'), bikeWorkspace(living.web));
  const none = await run(['notify', bare]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('notify.atom news.xml')]);
  const literal = await run(['settings', 'set', bare, 'notify.mailPassword', 'hunter2']);
  expect([literal.code, literal.err]).toEqual([2, expect.stringContaining('env:NAME')]);
  const inUrl = await run(['settings', 'set', bare, 'notify.mailServer', 'smtp://me:hunter2@mail.example']);
  expect([inUrl.code, inUrl.err]).toEqual([2, expect.stringContaining('notify.mailPassword')]);
});

it('sends a test on every channel', async () => {
  const { code, err } = await notify('--test');
  expect([code, err]).toEqual([0, expect.stringContaining('mail: sent 1')]);
  expect([calls.length, mails.length, logins]).toEqual([1, 1, [`me ${PASSWORD}`]]);
  const missing = await run(['notify', dir, '--test'], { env: {} });
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('HOOK_KEY is not set')]);
});

it('sends new pages once, signed and by mail, and lists them in the feed', async () => {
  expect((await run(['crawl', dir, '--plain'])).code).toBe(0);
  const dry = await notify('--dry-run');
  expect(dry.out).toMatch(/^bikes: \d+ new pages/);
  expect([calls.length, mails.length]).toEqual([0, 0]);
  expect((await notify()).code).toBe(0);
  const [call] = calls;
  const message = messageOf(call!);
  expect(message.counts.new).toBe(message.items.filter(({ kind }) => kind === 'new').length);
  expect(message.items[0]).toMatchObject({ kind: 'new', topic: 'cycling', url: expect.stringContaining('bikes.test') });
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = call!.headers;
  const own = createHmac('sha256', KEY).update(`${id}.${at}.${call!.body}`).digest('base64');
  expect([id, signature]).toEqual([message.id, `v1,${own}`]);
  expect(mails[0]).toContain(`Subject: bikes: ${message.counts.new} new pages`);
  expect(mails[0]).toContain(`Message-ID: <${id}@bingo-crawler>`);
  const feed = readFileSync(join(dir, 'news.xml'), 'utf8');
  expect(feed.match(/<entry>/g)).toHaveLength(message.items.length);
  expect(feed).not.toContain('\u001b');
  const again = await notify();
  expect([again.code, again.err, calls.length, mails.length]).toEqual([
    0,
    expect.stringContaining('Nothing is new.'),
    1,
    1,
  ]);
});

it('shows what changed in a page, and which pages are gone', async () => {
  living.fates.set(1, { kind: 'changed' });
  living.fates.set(2, { kind: 'status', status: 410 });
  await run(['crawl', dir, '--recheck-all', '--plain']);
  await notify();
  const { items } = messageOf(calls[0]!);
  const changed = items.find(({ kind, url }) => kind === 'changed' && url?.endsWith('/1'));
  expect(changed?.changes?.some((line) => line.startsWith('+ '))).toBe(true);
  expect(changed?.changes?.some((line) => line.startsWith('- '))).toBe(true);
  expect(items.find(({ kind }) => kind === 'gone')).toMatchObject({
    url: expect.stringContaining('/2'),
    note: 'The page no longer exists.',
  });
  expect(mails[0]).toContain('1 gone page');
});

it('keeps what a channel did not take, sends it later with the same id, and repeats nothing on the others', async () => {
  await run(['watch', dir, 'add', 'saddle pedal']);
  writeFileSync(
    join(dir, 'notify/alarms.jsonl'),
    `${JSON.stringify({ kind: 'alarms', title: 'Stagnation', url: null, at: new Date().toISOString(), note: 'Add seeds.' })}\n`,
    { flag: 'a' },
  );
  status = 500;
  const failed = await notify();
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('1 wait. answered with status 500')]);
  expect(failed.err).not.toContain('secret-path');
  status = 302;
  expect((await notify()).err).toContain('status 302');
  status = 204;
  expect((await notify()).code).toBe(0);
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect([calls.length, mails.length]).toEqual([3, 1]);
});

it('sends a message again with its id if the process was killed before it was noted as sent', async () => {
  const state = join(dir, 'notify/state.json');
  writeFileSync(
    join(dir, 'notify/alarms.jsonl'),
    `${JSON.stringify({ kind: 'alarms', title: 'Drift', url: null, at: new Date().toISOString(), note: 'Look.' })}\n`,
    { flag: 'a' },
  );
  status = 500;
  await notify();
  const collected = readFileSync(state);
  status = 204;
  await notify();
  writeFileSync(state, collected);
  await notify();
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(calls).toHaveLength(3);
});

it('writes no secret into store, exports, or state', async () => {
  const copy = join(root, 'copy');
  cpSync(dir, copy, { recursive: true });
  const { out } = await run(['sql', copy, 'select * from run', '--json']);
  for (const secret of [KEY, PASSWORD, 'secret-path']) {
    expect(out).not.toContain(secret);
    expect(readFileSync(join(copy, 'notify/state.json'), 'utf8')).not.toContain(secret);
  }
  expect(existsSync(join(copy, 'news.xml'))).toBe(true);
});
