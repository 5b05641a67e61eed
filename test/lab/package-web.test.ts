import { Resolver } from 'node:dns/promises';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackageWeb, hostOfPackage, type PackageWeb, servePackageWeb } from '../../src/lab/index.ts';

let root: string;
let web: PackageWeb;

function install(name: string, manifest: object, files: Readonly<Record<string, string>> = {}): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A text of some different words. */
function prose(word: string, words: number): string {
  return Array.from({ length: words }, (_, i) => `${word}${i}`).join(' ');
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-packages-'));
  install(
    'draw',
    {
      description: 'Draws <boxes> & lines',
      keywords: ['terminal', 'ui'],
      repository: 'someone/draw',
      dependencies: { paint: '1', gone: '1', '@acme/tools': '1' },
    },
    {
      'README.md': `# Draw

See [paint](https://www.npmjs.com/package/paint), [tools](https://github.com/Acme/Tools/tree/main/packages/x#readme),
[its guide](https://github.com/acme/tools/blob/main/docs/Guide.md), [home](https://paint.example/#top),
[ours](./docs/api.md), [missing](./docs/nothing.md), [elsewhere](https://example.org/), [here](#top),
[odd](%E0%A4%A), <a href='https://npmjs.com/package/@acme/tools'>raw</a>.`,
      'CHANGELOG.md': '## 1.0.0',
      'docs/api.md': '[back](../README.md)',
      'src/ignored.md': 'no documentation',
      'docs/node_modules/x/readme.md': 'not ours',
      'dist/index.d.ts': `import { Colour } from 'paint';
import { Line } from './shapes/line.js';
/** ${prose('box', 40)} */
export declare function drawBox(width: number): void;
/** ${prose('line', 700)} {@link drawBox} */
export interface Line { }
/** Short. */
export type Tiny = 1;`,
      'dist/shapes/line.d.ts': `/**\n * ${prose('stroke', 50)}\n */\nexport class Stroke {}`,
      'dist/bare.d.ts': '/** Too short. */ export declare const x: 1;',
    },
  );
  install('paint', {
    homepage: 'https://paint.example/',
    repository: { url: 'git+https://github.com/someone/mono.git' },
  });
  install(
    '@acme/tools',
    { repository: { type: 'git', url: 'git@github.com:acme/tools.git' } },
    { 'docs/Guide.md': 'Guide' },
  );
  mkdirSync(join(root, 'node_modules', 'broken'));
  writeFileSync(join(root, 'node_modules', 'broken', 'package.json'), '{"name": ');
  mkdirSync(join(root, 'node_modules', '.bin'));
  web = buildPackageWeb([join(root, 'node_modules')]);
});
afterAll(() => rmSync(root, { recursive: true }));

const page = (name: string, path: string): string => web.page(hostOfPackage(name), path, 80) ?? '';
const links = (html: string): string[] => [...html.matchAll(/<a\b[^>]*href="([^"]*)"/g)].map((match) => match[1]!);

describe('the web of installed packages', () => {
  it('has a host for each readable package', () => {
    expect(web.packages.map(({ name }) => hostOfPackage(name))).toEqual([
      'tools.acme.npm.test',
      'draw.npm.test',
      'paint.npm.test',
    ]);
  });

  it('starts each host with an index of documents and installed dependencies', () => {
    const html = page('draw', '/');
    expect(html).toContain('Draws &lt;boxes&gt; &amp; lines');
    expect(html).toContain('Keywords: terminal, ui');
    expect(links(html)).toEqual([
      ...['/changelog.html', '/readme.html', '/docs/api.html', '/reference.html'],
      ...['http://tools.acme.npm.test/', 'http://paint.npm.test/'],
    ]);
  });

  it('lists the packages that depend on a package', () => {
    expect(links(page('paint', '/'))).toEqual(['http://draw.npm.test/']);
    expect(page('paint', '/')).toContain('Dependents');
  });

  it('has pages for the comments of type declarations, one per declaration of a long file', () => {
    expect(links(page('draw', '/reference.html'))).toEqual([
      '/',
      'http://draw.npm.test/reference/dist/index.html',
      'http://draw.npm.test/reference/dist/shapes/line.html',
    ]);
    const index = page('draw', '/reference/dist/index.html');
    expect(links(index)).toEqual([
      '/',
      'http://draw.npm.test/reference/dist/index/drawbox.html',
      'http://draw.npm.test/reference/dist/index/line.html',
      'http://paint.npm.test/',
      'http://draw.npm.test/reference/dist/shapes/line.html',
    ]);
    expect(index).toContain('Short.');
    expect(index).not.toContain('line699');
    const part = page('draw', '/reference/dist/index/line.html');
    expect(part).toContain('line699 drawBox');
    expect(part).toContain('export interface Line');
    expect(page('draw', '/reference/dist/shapes/line.html')).toContain('<h2>Stroke</h2>\n<p>stroke0');
    expect(web.page('draw.npm.test', '/reference/dist/bare.html', 80)).toBeUndefined();
  });

  it('maps links to registry, repository and home page to package hosts, and drops others', () => {
    expect(links(page('draw', '/readme.html'))).toEqual([
      '/',
      'http://paint.npm.test/',
      'http://tools.acme.npm.test/',
      'http://tools.acme.npm.test/docs/guide.html',
      'http://paint.npm.test/',
      'http://draw.npm.test/docs/api.html',
      '#top',
      'http://tools.acme.npm.test/',
    ]);
    expect(page('draw', '/readme.html')).toContain('elsewhere');
  });

  it('has pages only for documentation', () => {
    expect(web.page('draw.npm.test', '/src/ignored.html', 80)).toBeUndefined();
    expect(web.page('draw.npm.test', '/docs/node_modules/x/readme.html', 80)).toBeUndefined();
    expect(web.page('gone.npm.test', '/', 80)).toBeUndefined();
  });

  it('has no page for a document that an update of its package removed', () => {
    install('brief', {}, { 'README.md': '# Brief' });
    const { page } = buildPackageWeb([join(root, 'node_modules')]);
    expect(page('brief.npm.test', '/', 80)).toContain('/readme.html');
    rmSync(join(root, 'node_modules/brief'), { recursive: true });
    expect(page('brief.npm.test', '/readme.html', 80)).toBeUndefined();
  });
});

describe('the server', () => {
  it('answers HTTP by host name, and resolves names by DNS', async () => {
    const server = await servePackageWeb(web);
    try {
      const resolver = new Resolver();
      resolver.setServers([server.dnsServer]);
      expect(await resolver.resolve4('draw.npm.test')).toEqual(['127.0.0.1']);
      await expect(resolver.resolve4('nobody.npm.test')).rejects.toThrow('ENOTFOUND');
      const answer = (host: string, path: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { host: `${host}:${server.port}` };
          const asked = request({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          asked.on('error', reject).end();
        });
      expect(await answer('draw.npm.test', '/')).toBe(200);
      expect(await answer('draw.npm.test', '/none.html')).toBe(404);
      expect(await answer('nobody.npm.test', '/')).toBe(404);
      expect(server.url('@acme/tools')).toBe(`http://tools.acme.npm.test:${server.port}/`);
    } finally {
      await server.close();
    }
  });
});
