import { describe, expect, test } from 'vitest';
import { anchorFeatures, type PointingAnchor } from '../../../src/analyze/index.ts';
import { LINK_FLAG, type Link, packLinks, unpackCounts } from '../../../src/core/index.ts';
import { rebuildFeatures, Surroundings, UNLIMITED, WholeDocuments } from '../../../src/engine/index.ts';
import { document, page } from '../../contracts/store-records.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { exactConfig, paperCrawl, paperWeb, RecordingJournal } from '../support/paper-web.ts';

const A = 'http://a.example/';
const B = 'http://b.example/';
const C = 'http://c.example/';

function to(url: string, anchor: string, flags = 0): Link {
  return { url, anchor, context: '', flags, position: 0 };
}

function anchors(...texts: readonly string[]): PointingAnchor[] {
  return texts.map((text) => ({ text, language: 'en' }));
}

function linking(sequence: number, url: string, links: readonly Link[], terms = 'word'): ReturnType<typeof page> {
  const features = { terms: packCounts(terms.split(' ').map((term, i) => [term, 100 - i])) };
  return page(sequence, url, { document: document({ features, links: packLinks(links) }) });
}

describe('link context of a page', () => {
  test('is not collected if no feature space needs it', () => {
    const surroundings = new Surroundings(['terms', 'terms+pairs']);
    surroundings.note(linking(1, A, [to(B, 'steam engines')]));
    expect(surroundings.of([B])).toBeUndefined();
  });

  test('contains the anchors of links to any of its URLs, in order of discovery', () => {
    const surroundings = new Surroundings(['terms+anchors']);
    surroundings.note(linking(1, A, [to(B, 'steam engines'), to(C, 'kitchens'), to(B, 'click here')]));
    surroundings.note(linking(2, C, [to('http://b.example/old', 'boilers')]));
    expect(surroundings.of([B, 'http://b.example/old'])).toEqual({
      anchors: anchors('steam engines', 'click here', 'boilers'),
    });
  });

  test('stores the page language of each anchor', () => {
    const surroundings = new Surroundings(['anchors']);
    const inLanguage = (sequence: number, url: string, language: string, anchor: string): void => {
      const linked = linking(sequence, url, [to(B, anchor)]);
      surroundings.note({ ...linked, document: { ...linked.document, language } });
    };
    inLanguage(1, A, 'de', 'alte Öfen');
    inLanguage(2, C, '', ' old stoves');
    expect(surroundings.of([B])!.anchors).toEqual([
      { text: 'alte Öfen', language: 'de' },
      { text: ' old stoves', language: '' },
    ]);
  });

  test('excludes links marked nofollow by their page', () => {
    const surroundings = new Surroundings(['anchors']);
    surroundings.note(linking(1, A, [to(B, 'cheap pills', LINK_FLAG.nofollow)]));
    const untrusting = linking(2, C, [to(B, 'cheap pills')]);
    surroundings.note({ ...untrusting, document: { ...untrusting.document, nofollow: true } });
    expect(surroundings.of([B])).toEqual({ anchors: [] });
  });

  test('contains the strongest terms of linking and linked pages, counted by page', () => {
    const surroundings = new Surroundings(['neighbours']);
    surroundings.note(linking(1, A, [to(B, 'b')], 'rail steam'));
    surroundings.note(linking(2, C, [], 'rail boiler'));
    const { neighbours } = surroundings.of([B], C)!;
    expect(unpackCounts(neighbours!)).toEqual([
      ['rail', 2],
      ['steam', 1],
      ['boiler', 1],
    ]);
  });

  test('counts twenty terms of each neighbour', () => {
    const surroundings = new Surroundings(['neighbours']);
    const terms = Array.from({ length: 50 }, (_, i) => `t${i}`);
    surroundings.note(linking(1, A, [to(B, 'b')], terms.join(' ')));
    expect(unpackCounts(surroundings.of([B])!.neighbours!).map(([term]) => term)).toEqual(terms.slice(0, 20));
  });

  test('is limited: few anchors per page, few pages, the oldest are forgotten first', () => {
    const limits = { ...UNLIMITED, targets: 2, anchors: 3, recent: 1 };
    const surroundings = new Surroundings(['anchors', 'neighbours'], { limits, kept: [C] });
    surroundings.note(linking(1, A, [to(C, 'kept'), ...'12345'.split('').map((n) => to(B, n))]));
    expect(surroundings.of([B])!.anchors).toEqual(anchors('1', '2', '3'));
    for (const n of [2, 3]) surroundings.note(linking(n, `http://d.example/${n}`, [to(`http://e.example/${n}`, 'e')]));
    expect(surroundings.of([B])!.anchors).toEqual([]);
    expect(surroundings.of([C])!.anchors).toEqual(anchors('kept'));
    expect(unpackCounts(surroundings.of([C])!.neighbours!)).toEqual([]);
  });
});

describe('a crawl with anchors and neighbours', () => {
  const spaces = ['terms', 'anchors', 'terms+neighbours'] as const;
  const config = exactConfig({ learn: { spaces } });

  test('classifies pages by the links to them', async () => {
    const { run, journal } = paperCrawl(paperWeb(), config);
    await run();
    const crawled = journal.pages().filter((p) => p.role === 'crawled');
    expect(crawled.length).toBeGreaterThan(50);
    for (const { document } of crawled) expect(document.features.neighbours!.counts.length).toBeGreaterThan(0);
    // An anchor may be a single stop word: "later".
    const withAnchors = crawled.filter(({ document }) => document.features.anchors!.counts.length > 0);
    expect(withAnchors.length).toBeGreaterThan(0.9 * crawled.length);
  });

  test('rebuilds its spaces from the journal, as known then or as known now', async () => {
    const { run, journal } = paperCrawl(paperWeb(), config);
    await run();
    const then = new Map<number, (typeof journal.records)[number]>(journal.records.map((r) => [r.sequence, r]));
    let more = 0;
    for await (const rebuilt of rebuildFeatures(journal, { spaces, asOf: 'fetch' })) {
      const record = then.get(rebuilt.sequence);
      if (record?.kind !== 'page') throw new Error('expected a page');
      expect(rebuilt.features).toEqual(record.document.features);
    }
    for await (const rebuilt of rebuildFeatures(journal, { spaces })) {
      const record = then.get(rebuilt.sequence);
      if (record?.kind !== 'page') throw new Error('expected a page');
      const known = unpackCounts(record.document.features.neighbours!);
      const now = new Map(unpackCounts(rebuilt.features.neighbours!));
      for (const [term] of known) expect(now.has(term)).toBe(true);
      if (now.size > known.length) more++;
    }
    expect(more).toBeGreaterThan(10);
  });

  test('fills in spaces and pairs of stored pages from the store', async () => {
    const { run, journal } = paperCrawl(paperWeb(), exactConfig({ learn: { spaces: ['terms'] } }));
    await run();
    const wanted = exactConfig({ learn: { spaces: [...spaces, 'pairs'] } });
    const stored = journal.pages().filter((p) => p.role === 'crawled');
    const sequences = stored.map(({ sequence }) => sequence);
    const whole = await new WholeDocuments(journal, wanted).documents(sequences);
    const features = stored.map(({ sequence }) => whole.get(sequence)!.features);
    for (const { document } of stored) expect(document.features).toEqual({ terms: expect.anything() });
    expect(stored.map(({ document }) => document.features.terms)).toEqual(features.map(({ terms }) => terms));
    for (const { pairs, neighbours } of features) {
      expect(pairs!.counts.length).toBeGreaterThan(0);
      expect(neighbours!.counts.length).toBeGreaterThan(0);
    }
    const withAnchors = features.filter(({ anchors }) => anchors!.counts.length > 0);
    expect(withAnchors.length).toBeGreaterThan(0.9 * features.length);
  });

  test('decides the same if it is resumed at any record', async () => {
    const whole = paperCrawl(paperWeb(), config);
    await whole.run();
    const { records } = whole.journal;
    for (const cut of [12, 30, 47, records.length - 5]) {
      const journal = RecordingJournal.holding(records.slice(0, cut));
      await paperCrawl(paperWeb(), config, { journal }).run();
      const features = (j: RecordingJournal): unknown[] => j.pages().map((p) => [p.finalUrl, p.document.features]);
      expect(features(journal)).toEqual(features(whole.journal));
    }
  });

  test('an anchors bag does not depend on how its anchors arrived', () => {
    const surroundings = new Surroundings(['anchors']);
    surroundings.note(linking(1, A, [to(B, 'steam engines'), to(B, 'here')]));
    expect(anchorFeatures(surroundings.of([B])!.anchors)).toEqual(anchorFeatures(anchors('steam engines', 'here')));
  });
});
