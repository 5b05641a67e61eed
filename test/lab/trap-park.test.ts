import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FARM_KINDS,
  type ParkServer,
  PLAUSIBLE_KINDS,
  RELEVANT_PAGES,
  readVisits,
  renderScore,
  scorePark,
  servePark,
  TRAP_KINDS,
  TrapPark,
} from '../../src/lab/index.ts';

const park = new TrapPark();
const farms = new TrapPark(1, { farms: true });
const ENDLESS = ['calendar', 'facets', 'noindex', 'deeper-links', 'soft-404', 'near-duplicates', 'subdomains'] as const;

function linksOf(address: string, body: string): string[] {
  return [...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => new URL(href!.replaceAll('&amp;', '&'), address).href);
}

/** Walks from the seeds through normal pages and passages only, each page once. */
function walk(of: TrapPark): { ids: Set<string>; traps: Set<string> } {
  const ids = new Set<string>();
  const traps = new Set<string>();
  const seen = new Set<string>();
  const queue = [...of.seeds];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (seen.has(url)) continue;
    seen.add(url);
    const { place, body, headers } = of.answer(url);
    if (place.kind === 'trap') traps.add(place.trap);
    if (place.kind === 'page' && place.trap !== undefined && ids.has(place.id)) traps.add(place.trap);
    if (place.kind !== 'passage' && (place.kind !== 'page' || ids.has(place.id))) continue;
    if (place.kind === 'page') ids.add(place.id);
    queue.push(...(headers.location === undefined ? linksOf(url, body) : [new URL(headers.location, url).href]));
  }
  return { ids, traps };
}

describe('the trap collection', () => {
  it('contains 200 relevant pages, all reachable without entering a trap', () => {
    const relevant = park.relevantIds();
    const { ids } = walk(park);
    expect(relevant).toHaveLength(RELEVANT_PAGES);
    expect(relevant.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has every kind of trap near the path, and more normal pages than the budget', () => {
    const { ids, traps } = walk(park);
    expect([...TRAP_KINDS].filter((kind) => !traps.has(kind))).toEqual([]);
    expect(ids.size).toBeGreaterThan(11_000);
  });

  it('is the same for the same seed, and different for another', () => {
    const url = park.relevantIds()[7]!;
    expect(new TrapPark(1).answer(`http://${url}`).body).toBe(park.answer(`http://${url}`).body);
    expect(new TrapPark(2).relevantIds()).not.toEqual(park.relevantIds());
  });

  it('has endless traps: each trap page leads to others of its kind', () => {
    for (const kind of ENDLESS) {
      const seen = new Set<string>();
      let url = firstTrapPage(kind);
      for (let i = 0; i < 50; i++) {
        seen.add(url);
        const next = linksOf(url, park.answer(url).body).find((link) => {
          const place = park.placeOf(link);
          return place.kind === 'trap' && place.trap === kind && !seen.has(link);
        });
        expect(next, `${kind} after ${seen.size} pages`).toBeDefined();
        url = next!;
      }
    }
  });
});

function firstTrapPage(kind: string): string {
  const queue = park.hosts.map((host) => `http://${host}/`);
  const seen = new Set(queue);
  for (const url of queue) {
    for (const link of linksOf(url, park.answer(url).body)) {
      const place = park.placeOf(link);
      if (place.kind === 'trap' && place.trap === kind) return link;
      if (place.kind === 'passage' && !seen.has(link)) queue.push(link);
      seen.add(link);
    }
  }
  throw new Error(`no ${kind}`);
}

describe('the trap collection with endless text', () => {
  it('has every page of the basic collection, and five relevant ones on twelve more sites', () => {
    const ids = farms.relevantIds();
    expect(ids).toHaveLength(RELEVANT_PAGES + 60);
    expect(park.relevantIds().filter((id) => !ids.includes(id))).toEqual([]);
    for (const kind of ENDLESS) expect(farms.answer(firstTrapPage(kind))).toEqual(park.answer(firstTrapPage(kind)));
  });

  it('hides no relevant page behind a trap', () => {
    const { ids, traps } = walk(farms);
    expect(farms.relevantIds().filter((id) => !ids.has(id))).toEqual([]);
    expect([...FARM_KINDS].filter((kind) => !traps.has(kind))).toEqual([]);
  });

  it('is endless on each of the twelve sites, each page with its own text', () => {
    const entries = FARM_KINDS.flatMap((kind) => {
      const hosts = farms.hosts.filter((host) => farms.trapOf(`${host}/`) === kind);
      return hosts.map((host) => ({ kind, url: `http://${host}/` }));
    });
    expect(entries).toHaveLength(12);
    for (const { kind, url } of entries) {
      const texts = trapPages(kind, url).map((address) => paragraphsOf(farms.answer(address).body));
      expect(texts, url).toHaveLength(100);
      expect(new Set(texts).size, url).toBe(100);
    }
  });

  it('counts fetches in it beside the other traps', () => {
    const [host] = farms.hosts.filter((name) => farms.trapOf(`${name}/`) === 'generated-wiki');
    const visits = trapPages('generated-wiki', `http://${host}/`).map((url) => ({ url, served: true }));
    const score = scorePark(farms, visits, 400);
    expect(score).toMatchObject({ relevant: 260, trapped: 100, trappedShare: 0.25 });
    expect(score.traps['generated-wiki']).toBe(100);
    expect(renderScore(score)).toContain('generated-wiki        100   25.0 %');
    expect(Object.keys(scorePark(park, [], 400).traps)).not.toContain('generated-wiki');
  });
});

/** Returns the first hundred addresses of a trap, breadth-first from the front page of its site. */
function trapPages(kind: string, front: string): string[] {
  const queue = [front];
  const found: string[] = [];
  for (const url of queue) {
    for (const link of linksOf(url, farms.answer(url).body)) {
      const place = farms.placeOf(link);
      if (queue.includes(link) || new URL(link).host !== new URL(front).host) continue;
      if (place.kind !== 'trap' && place.kind !== 'passage') continue;
      queue.push(link);
      if (place.kind === 'trap' && place.trap === kind) found.push(link);
      if (found.length === 100) return found;
    }
  }
  return found;
}

function paragraphsOf(body: string): string {
  return [...body.matchAll(/<p>(.*?)<\/p>/g)].map(([, text]) => text).join('\n');
}

describe('its score', () => {
  const served = (url: string) => ({ url, served: true });
  const relevant = park.relevantIds().map((id) => `http://${id}`);

  it('counts a relevant page once, and its second address as a trap', () => {
    const host = park.relevantIds().find((id) => park.trapOf(id) === 'session-query')!;
    const score = scorePark(
      park,
      [served(`http://${host}`), served(`http://${host}?zid=1`), served(`http://${host}?zid=2`)],
      10,
    );
    expect(score).toMatchObject({ found: 1, trapped: 2, trappedShare: 0.2, requests: 3 });
    expect(score.traps['session-query']).toBe(2);
  });

  it('leaves out training pages and pages beyond the budget', () => {
    const visits = [...park.examples, ...relevant].map(served);
    expect(scorePark(park, visits, 50)).toMatchObject({ found: 50, requests: 50, trapped: 0 });
    expect(scorePark(park, visits, 500)).toMatchObject({ found: 200, requests: 200, foundShare: 1 });
  });

  it('does not count a page that never arrived as found', () => {
    const score = scorePark(park, [{ url: relevant[0]!, served: false }, served(relevant[0]!)], 10);
    expect(score).toMatchObject({ found: 1, trapped: 0, honest: 2 });
  });

  it('reads the list of any crawler: one URL per line, with or without port and remarks', () => {
    const list = `# mine\n${relevant[0]} 200\n\n${relevant[1]!.replace('.test', '.test:8080')}\nhttp://x.test/robots.txt\nnonsense`;
    expect(scorePark(park, readVisits(list), 10)).toMatchObject({ found: 2, requests: 2 });
  });

  it('is a table with a line for each kind of trap', () => {
    const text = renderScore(scorePark(park, relevant.slice(1).map(served), 1000));
    for (const kind of TRAP_KINDS) expect(text).toContain(kind);
    expect(text).toContain('found     199 of 200 relevant pages (99.5 %)');
    expect(text).toContain('missed    1 beside calendar');
  });
});

describe('its server', () => {
  let server: ParkServer | undefined;
  afterEach(() => server?.close());

  function ask(port: number, url: string): Promise<{ status: number; bytes: number; broken: boolean }> {
    return new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port, path: url }, (response) => {
        let bytes = 0;
        const done = (broken: boolean) => resolve({ status: response.statusCode ?? 0, bytes, broken });
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > 1_000_000) {
            done(false);
            asked.destroy();
          }
        });
        response.on('end', () => done(false));
        response.on('error', () => done(true));
      });
      asked.on('error', () => resolve({ status: 0, bytes: 0, broken: true }));
      asked.end();
    });
  }

  it('answers as a proxy, records requests, and sends endless answers for endless traps', async () => {
    server = await servePark({ park, port: 0 });
    const { port } = server;
    expect(await ask(port, 'http://start.test/')).toMatchObject({ status: 200, broken: false });
    expect(await ask(port, 'http://start.test/robots.txt')).toMatchObject({ status: 404 });
    expect((await ask(port, firstTrapPage('endless-body'))).bytes).toBeGreaterThan(1_000_000);
    const dead = park.hosts.find((host) => host.startsWith('dead-'))!;
    expect(await ask(port, `http://${dead}/`)).toMatchObject({ status: 0, broken: true });
    expect(server.visits).toHaveLength(3);
    expect(server.visits.map(({ served }) => served)).toEqual([true, false, false]);
  });
});

describe('the collection of plausible traps', () => {
  const plausible = new TrapPark(1, { plausible: true });

  it('puts all relevant pages before its traps, and has every kind of them', () => {
    const { ids, traps } = walk(plausible);
    expect(plausible.relevantIds().filter((id) => !ids.has(id))).toEqual([]);
    expect([...PLAUSIBLE_KINDS].filter((kind) => !traps.has(kind))).toEqual([]);
  });
});
