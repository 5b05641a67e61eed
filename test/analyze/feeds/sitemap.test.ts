import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { isUnusable } from '../../../src/analyze/index.ts';
import { Converter } from '../../../src/convert/index.ts';
import { type AnalyzedDocument, canonicalize, DEFAULTS, LINK_FLAG, unpackLinks } from '../../../src/core/index.ts';
import { cpuMsSince } from '../../support/cpu-time.ts';
import { documentOf, OPTIONS } from '../pages.ts';

const converter = new Converter(DEFAULTS.analyze);
afterAll(() => converter.close());

const url = canonicalize('http://www.example.com/sitemap.xml')!;
const sitemap = (body: string | Uint8Array, contentType = 'application/xml'): AnalyzedDocument =>
  documentOf(body, { url, headers: { contentType } });
const urlset = (inner: string): string => `<?xml version="1.0"?><urlset>${inner}</urlset>`;

/** Reads a file like the engine: decompresses it first if needed. */
async function read(bytes: Uint8Array): Promise<string[]> {
  const packed = bytes[0] === 0x1f ? await converter.convert(bytes, 'application/gzip', url) : undefined;
  if (packed !== undefined && isUnusable(packed)) throw new Error(packed.detail);
  const document = sitemap(packed === undefined ? bytes : Buffer.from(packed.html), packed ? 'text/html' : 'text/xml');
  return unpackLinks(document.links).map((link) => link.url);
}

const VECTORS = join(import.meta.dirname, '../../../../shared/vectors/sitemaps');

describe.skipIf(!existsSync(VECTORS))('the sitemaps of crawler-commons', () => {
  const vector = (name: string): Promise<string[]> => read(readFileSync(join(VECTORS, name)));

  it('reads another namespace or a prefix, and white space around URLs', async () => {
    expect(await vector('sitemap.badns.xml')).toEqual(['http://www.example.com/1', 'http://www.example.com/2']);
    expect((await vector('sitemap.ns.xml')).length).toBeGreaterThan(0);
  });

  it('reads an index, also one whose URLs are outside of loc', async () => {
    const urls = await vector('sitemap.index.xml');
    expect(urls[0]).toBe('https://example.com/sitemap.jss?portalCode=10260&lang=en');
    expect(urls.length).toBe(readFileSync(join(VECTORS, 'sitemap.index.xml'), 'utf8').split('<sitemap>').length - 1);
  });

  it('reads an Atom feed, packed XML, text with and without a byte order mark', async () => {
    expect(await vector('atom.xml')).toContain('http://example.org/2003/12/13/atom03');
    expect((await vector('xmlSitemap.gz')).length).toBeGreaterThan(0);
    for (const name of ['sitemap.txt', 'sitemap-with-bom.txt'])
      expect(
        unpackLinks(sitemap(readFileSync(join(VECTORS, name)), 'text/plain').links).map((link) => link.url),
      ).toEqual(['http://www.domain.com/page1.html', 'http://www.domain.com/page2.html']);
  });
});

describe('a sitemap', () => {
  it('returns its pages as links and has no text', () => {
    const document = sitemap(
      urlset('<url><loc>/a&amp;b</loc><lastmod>2026</lastmod></url><url><loc><![CDATA[/c]]></loc></url>'),
    );
    expect(document.links.urls).toBe('http://www.example.com/a&b\nhttp://www.example.com/c');
    expect(document).toMatchObject({ text: '', tokens: 0, contentHash: '' });
  });

  it('of images returns the pages with the images', () => {
    const image = '<image:image><image:loc>http://www.example.com/i.png</image:loc></image:image>';
    expect(sitemap(urlset(`<url><loc>/a</loc>${image}</url>`)).links.urls).toBe('http://www.example.com/a');
  });

  it('index returns further sitemaps, flagged as sitemaps; so does a robots.txt', () => {
    const index = sitemap('<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap></sitemapindex>');
    const robots = documentOf(
      'User-agent: *\nSitemap: /s2.xml\nsitemap:http://www.example.com/s3.xml # x\n# see http://e.test/',
      {
        url: canonicalize('http://www.example.com/robots.txt')!,
        headers: { contentType: 'text/plain' },
      },
    );
    expect([index, robots].flatMap(({ links }) => unpackLinks(links).map((link) => [link.url, link.flags]))).toEqual([
      ['http://www.example.com/s1.xml', LINK_FLAG.sitemap],
      ['http://www.example.com/s2.xml', LINK_FLAG.sitemap],
      ['http://www.example.com/s3.xml', LINK_FLAG.sitemap],
    ]);
    expect(robots.text).toBe('');
  });

  it('limits entity growth, endless nesting and a million URLs, and stays fast', () => {
    const before = process.cpuUsage();
    const entities = Array.from({ length: 30 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const laughs = sitemap(`<!DOCTYPE x [${entities}]><urlset><url><loc>/&l30;</loc></url></urlset>`);
    expect(laughs.links.urls.length).toBeLessThan(100);
    sitemap(`<urlset>${'<url>'.repeat(200_000)}`);
    const many = Array.from({ length: 100_000 }, (_, i) => `<url><loc>/${i}</loc></url>`).join('');
    expect(sitemap(urlset(many)).links.size).toBe(OPTIONS.maxLinksPerPage);
    expect(cpuMsSince(before)).toBeLessThan(5000);
  });

  it('in a gzip bomb is rejected', async () => {
    const bomb = gzipSync(urlset(' '.repeat(80_000_000)));
    expect(await converter.convert(bomb, '', url)).toMatchObject({ kind: 'unusable', reason: 'too-large' });
  });
});
