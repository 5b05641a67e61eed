import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS } from '../../src/core/index.ts';
import { findBrowser, loadDriver, Renderer } from '../../src/fetch/browser/browser.ts';
import { HttpFetcher, Resolver } from '../../src/fetch/index.ts';

const PAGE = 'http://public.example/' as CanonicalUrl;

/** What a hostile page tries, each as a statement; `P` is a port on loopback, `U` one for UDP. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  fetch: "fetch('http://127.0.0.1:P/fetch', { mode: 'no-cors' }).catch(() => 0)",
  post: "fetch('http://127.0.0.1:P/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => 0)",
  rebinding: "fetch('http://rebind.example:P/rebind', { mode: 'no-cors' }).catch(() => 0)",
  mapped: "fetch('http://[::ffff:127.0.0.1]:P/mapped', { mode: 'no-cors' }).catch(() => 0)",
  redirect: "fetch('/redirect', { mode: 'no-cors' }).catch(() => 0)",
  xhr: "{ const x = new XMLHttpRequest(); x.open('GET', 'http://localhost:P/xhr'); x.send(); }",
  image: "new Image().src = 'http://127.0.0.1:P/image'",
  frame: "{ const f = document.createElement('iframe'); f.src = 'http://127.0.0.1:P/frame'; document.body.append(f); }",
  script:
    "{ const s = document.createElement('script'); s.src = 'http://127.0.0.1:P/script'; document.body.append(s); }",
  module: "import('http://127.0.0.1:P/module').catch(() => 0)",
  style: "document.body.style.backgroundImage = 'url(http://127.0.0.1:P/style)'",
  preconnect:
    "{ const l = document.createElement('link'); l.rel = 'preconnect'; l.href = 'http://127.0.0.1:P/'; document.head.append(l); }",
  prefetch:
    "{ const l = document.createElement('link'); l.rel = 'prefetch'; l.href = 'http://127.0.0.1:P/prefetch'; document.head.append(l); }",
  socket: "new WebSocket('ws://127.0.0.1:P/socket').onerror = () => 0",
  events: "new EventSource('http://127.0.0.1:P/events').onerror = () => 0",
  beacon: "navigator.sendBeacon('http://127.0.0.1:P/beacon', 'x')",
  worker:
    "new Worker(URL.createObjectURL(new Blob([\"fetch('http://127.0.0.1:P/worker', { mode: 'no-cors' }).catch(() => 0)\"])))",
  service: "navigator.serviceWorker.register('http://public.example/worker.js').catch(() => 0)",
  transport: "new WebTransport('https://127.0.0.1:P/transport').ready.catch(() => 0)",
  rtc: "{ const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:U' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)); }",
  form: "{ const f = document.createElement('form'); f.action = 'http://127.0.0.1:P/form'; f.target = '_blank'; document.body.append(f); f.submit(); }",
  popup: "window.open('http://127.0.0.1:P/popup')",
};

describe.skipIf(findBrowser('') === undefined)('a page that tries to reach the machine it is rendered on', () => {
  let canary: Server;
  let datagrams: Socket;
  const reached: string[] = [];

  beforeAll(async () => {
    canary = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.setHeader('access-control-allow-origin', '*').end('private');
    });
    canary.on('connection', () => reached.push('connection'));
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    datagrams = createSocket('udp4').on('message', () => reached.push('datagram'));
    await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', () => resolve()));
  });
  afterAll(() => {
    canary.close();
    datagrams.close();
  });

  async function shown(script: string, allowPrivate: boolean, isWithinSite = false): Promise<string> {
    const network = { ...DEFAULTS.network, allowPrivate, robots: false, delayMs: 0, addressDelayMs: 0 };
    const resolver = new Resolver(network, { now: Date.now });
    resolver.resolve = async () => ({ kind: 'resolved', addresses: ['127.0.0.1'] }) as never;
    const fetcher = new HttpFetcher(network, { resolver });
    const port = String((canary.address() as AddressInfo).port);
    const driver = await loadDriver();
    if (driver === undefined) throw new Error('no driver');
    const renderer = new Renderer({
      ...{ driver, path: findBrowser('') ?? '', userAgent: 'test', timeoutMs: 8_000, isWithinSite },
      source: async (url, signal) =>
        url.endsWith('/redirect')
          ? { status: 302, fields: { location: `http://127.0.0.1:${port}/redirected` }, body: Buffer.from('') }
          : await fetcher.resource(url, signal),
    });
    const body = `<body><div id="root"></div><script>${script
      .replaceAll(':P/', `:${port}/`)
      .replaceAll(':U', `:${datagrams.address().port}`)}</script></body>`;
    const document = { status: 200, fields: { 'content-type': 'text/html' }, body: Buffer.from(body) };
    try {
      return (await renderer.render({ url: PAGE, document })).html ?? '';
    } finally {
      await renderer.close();
      await fetcher.close();
    }
  }

  const all = Object.entries(ATTEMPTS).map(
    ([name, statement]) => `try { ${statement}; } catch (error) { } document.body.append('tried ${name}. ');`,
  );

  test('reaches nothing, by any way', { timeout: 60_000 }, async () => {
    const html = await shown(all.join('\n'), false);
    for (const name of Object.keys(ATTEMPTS)) expect(html).toContain(`tried ${name}.`);
    expect(reached).toEqual([]);
  });

  test('cannot go there itself', { timeout: 60_000 }, async () => {
    await shown("location.href = 'http://127.0.0.1:P/itself'", false);
    expect(reached).toEqual([]);
  });

  test('is answered by the same server if private addresses are allowed', { timeout: 60_000 }, async () => {
    const script =
      "fetch('http://127.0.0.1:P/allowed').then((a) => a.text()).then((t) => document.body.append('got ' + t))";
    expect(await shown(script, true)).toContain('got private');
    expect(reached).toContain('/allowed');
  });

  test('asks no other site if the user gave credentials', { timeout: 60_000 }, async () => {
    const script = "fetch('http://127.0.0.1:P/elsewhere').catch(() => document.body.append('refused'))";
    expect(await shown(script, true, true)).toContain('refused');
    expect(reached).not.toContain('/elsewhere');
  });
});
