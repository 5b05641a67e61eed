import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { thumbnails } from '../../../src/workbench/export/thumbnails.ts';
import { startTinyWeb, type TinyWeb } from '../../support/tiny-web.ts';

const PNG = Buffer.concat([Buffer.from('\u0089PNG\r\n', 'latin1'), Buffer.alloc(40)]);

let web: TinyWeb;
let dir: string;
beforeEach(async () => {
  web = await startTinyWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-thumbnails-'));
  web.handle('pictures.test', (request, response) => {
    const bodies: Readonly<Record<string, Buffer>> = {
      '/robots.txt': Buffer.from('User-agent: *\nDisallow: /private'),
      '/a.png': PNG,
      '/private.png': PNG,
      '/drawing.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      '/large.png': Buffer.concat([PNG, Buffer.alloc(400 * 1024)]),
    };
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'image/png' }).end(body);
  });
});
afterEach(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

const config = (more: object = {}) => ({
  ...DEFAULTS,
  network: { ...DEFAULTS.network, dnsServers: [web.dnsServer], allowPrivate: true, delayMs: 0, ...more },
});
const at = (path: string): string => `${web.origin('pictures.test')}/${path}`;

test('pictures are fetched once, under robots.txt; drawings with scripts, large and missing ones are left out', async () => {
  const urls = ['a.png', 'private.png', 'drawing.svg', 'large.png', 'gone.png'].map(at);
  const first = await thumbnails({ dir, config: config() }, urls);
  expect([...first.keys()]).toEqual([at('a.png')]);
  expect(first.get(at('a.png'))?.name).toMatch(/^[0-9a-f]{20}\.png$/);
  expect(Buffer.from(first.get(at('a.png'))!.bytes)).toEqual(PNG);
  expect(web.requests).not.toContain('pictures.test/private.png');
  const asked = web.requests.length;
  expect(await thumbnails({ dir, config: config() }, urls)).toEqual(first);
  expect(web.requests).toHaveLength(asked);
  expect(readdirSync(join(dir, 'thumbnails'))).toHaveLength(urls.length);
});

test('no request goes to a private address unless the settings allow it', async () => {
  expect(await thumbnails({ dir, config: config({ allowPrivate: false }) }, [at('a.png')])).toEqual(new Map());
  expect(web.requests).toEqual([]);
});

test('nothing is fetched if an archive is the web', async () => {
  const archive = { ...DEFAULTS.archive, source: 'archive' };
  expect(await thumbnails({ dir, config: { ...config(), archive } }, [at('a.png')])).toEqual(new Map());
  expect(web.requests).toEqual([]);
});
