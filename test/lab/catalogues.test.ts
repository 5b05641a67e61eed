import { describe, expect, it } from 'vitest';
import { CATALOGUE_KINDS, catalogueWeb, labCatalogues } from '../../src/lab/index.ts';

describe('a catalogue', () => {
  it('is the same for the same seed, and different for another', () => {
    const bodies = [1, 1, 2].map((seed) => {
      const { web } = catalogueWeb('products', seed);
      return [...web.urls()].map((url) => String(web.page(url)?.body)).join('\n');
    });
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[2]).not.toBe(bodies[0]);
  });

  it.each(CATALOGUE_KINDS)('of %s has at least 120 pages, and each of its links leads to a page', (kind) => {
    const { web, labels, task } = catalogueWeb(kind, 3);
    const home = [...web.urls()].find((url) => labels.has(url))!;
    const pages = [...web.urls()].filter((url) => new URL(url).host === new URL(home).host);
    expect(pages.length).toBeGreaterThan(120);
    const links = [...web.urls()].flatMap((url) =>
      [...String(web.page(url)!.body).matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&')),
    );
    expect(links.filter((link) => !web.has(new URL(link).href as never))).toEqual([]);
    expect(task.topics[0]!.examples.every((url) => labels.has(url))).toBe(true);
  });

  it.each([4, 901])('whose images have numbers as titles is found completely (seed %i)', async (seed) => {
    for await (const score of labCatalogues(seed, {}, ['images']))
      expect(score).toMatchObject({ goal: true, foundAtAll: 1 });
  });
});
