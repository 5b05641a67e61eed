import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The browser of this machine, or `undefined` without one: its tests are skipped. */
export const CHROMIUM: string | undefined = [
  process.env.BINGO_TEST_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

const QUIET = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars'],
  ...['--disable-sync', '--disable-background-networking', '--disable-component-update', '--disable-extensions'],
];

/** The settings of a view. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly print?: boolean;
}

/** A page in a browser. */
export interface BrowserPage {
  /** Returns the value of an expression in the page. Awaits promises. */
  evaluate<T>(expression: string): Promise<T>;
  /** Writes a PNG of the visible part, or of the whole page. */
  screenshot(path: string, whole?: boolean): Promise<void>;
}

export interface Browser {
  /** Opens an address and resolves once it has loaded. */
  open(url: string, look?: Look): Promise<BrowserPage>;
  close(): Promise<void>;
}

type Message = {
  id?: number;
  method?: string;
  sessionId?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
};

/** Starts the browser and controls it by five commands of the DevTools protocol. */
export async function openBrowser(chromium: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'bingo-browser-'));
  const child = spawn(chromium, [...QUIET, `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const socket = new WebSocket(await addressOf(child));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const call = caller(socket);
  return {
    open: (url, look) => openPage(call, url, look ?? {}),
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      socket.close();
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    child.once('exit', () => reject(new Error(`The browser did not start: ${told.slice(-500)}`)));
    child.stderr!.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const address = /ws:\/\/\S+/.exec(told)?.[0];
      if (address !== undefined) resolve(address);
    });
  });
}

type Call = (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>;

function caller(socket: WebSocket): Call {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Message;
    const call = waiting.get(id ?? 0);
    if (call === undefined) return;
    waiting.delete(id!);
    if (error === undefined) call.resolve(result as never);
    else call.reject(new Error(JSON.stringify(error)));
  };
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) }));
    });
}

async function openPage(call: Call, url: string, look: Look): Promise<BrowserPage> {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const sessionId = String((await call('Target.attachToTarget', { targetId, flatten: true })).sessionId);
  const { width = 1000, height = 900, dark = false, print = false } = look;
  const screen = { width, height, deviceScaleFactor: 1, mobile: false };
  await call('Emulation.setDeviceMetricsOverride', screen, sessionId);
  const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
  await call('Emulation.setEmulatedMedia', { media: print ? 'print' : 'screen', features }, sessionId);
  await call('Page.navigate', { url }, sessionId);
  const page = pageOf(call, sessionId, { width, height });
  // A navigation replaces the document: it has loaded once the address is no longer the blank one.
  while (!(await page.evaluate<boolean>(LOADED))) await new Promise((resolve) => setTimeout(resolve, 20));
  return page;
}

const LOADED = `location.href !== 'about:blank' && document.readyState === 'complete'`;

function pageOf(call: Call, sessionId: string, size: { width: number; height: number }): BrowserPage {
  const evaluate = async <T>(expression: string): Promise<T> => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await call('Runtime.evaluate', params, sessionId);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  };
  return {
    evaluate,
    screenshot: async (path, whole = false) => {
      const height = whole ? await evaluate<number>('document.documentElement.scrollHeight') : size.height;
      const clip = { x: 0, y: 0, width: size.width, height, scale: 1 };
      const params = { format: 'png', captureBeyondViewport: whole, clip };
      const { data } = await call('Page.captureScreenshot', params, sessionId);
      writeFileSync(path, Buffer.from(String(data), 'base64'));
    },
  };
}
