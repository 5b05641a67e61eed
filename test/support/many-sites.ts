import { setTimeout as sleep } from 'node:timers/promises';
import { BIKE, FOOD, page, prose } from '../cli/support/bike-web.ts';
import { startTinyWeb, type TinyWeb } from './tiny-web.ts';

/** A closed web of many sites. */
export interface ManySites extends TinyWeb {
  /** Number of pages that can be reached, without those of food.test. */
  readonly reachable: number;
  /** Requests for pages, as `host/path`, since the last call; without robots.txt. */
  takeRequests(): readonly string[];
  /** Greatest number of requests that were answered at a time. */
  readonly mostAtOnce: () => number;
  /** Resolves after so many further requests for pages. */
  requested(count: number): Promise<void>;
}

/** Copies in a web of many sites. */
export interface SiteCopies {
  /** Hosts that serve all pages of one of the sites, by number, under the same paths. A page of site 0 links to each. */
  readonly mirrors: ReadonlyMap<string, number>;
  /** True if all sites have one article, in two versions that differ in a word. */
  readonly hasArticle: boolean;
}

/**
 * Starts a web of `sites` sites with `pages` pages each, all about bicycles and all different. Page n of site s links to
 * two pages of its own site and to pages of two other sites. Every fifth page also links to a redirect to another site,
 * which is the only way to that page.
 * @param delayMs time until a page is answered
 */
export async function startManySites(
  sites: number,
  pages: number,
  delayMs = 0,
  { mirrors, hasArticle }: SiteCopies = { mirrors: new Map(), hasArticle: false },
): Promise<ManySites> {
  const web = await startTinyWeb();
  let wanted = Number.POSITIVE_INFINITY;
  let reach = (): void => {};
  let atOnce = 0;
  let mostAtOnce = 0;
  const hostOf = (site: number): string => `site${site % sites}.test`;
  const own = Array.from({ length: sites }, (_, site): [string, number] => [hostOf(site), site]);
  for (const [host, site] of [...own, ...mirrors])
    web.handle(host, async (request, response) => {
      if (--wanted <= 0) reach();
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      if (delayMs > 0) await sleep(delayMs);
      atOnce--;
      const [, kind, number] = /^\/(r|x|a)?(\d+)$/.exec(request.url ?? '') ?? [];
      const n = Number(number ?? Number.NaN);
      if (!(n < pages)) {
        response.writeHead(404).end();
        return;
      }
      if (kind === 'r') {
        response.writeHead(302, { location: `${web.origin(hostOf(site + 2))}/x${n}` }).end();
        return;
      }
      const links = [
        ...[`/${(n + 1) % pages}`, `/${(n + 2) % pages}`],
        ...[`${web.origin(hostOf(site + 1))}/${n}`, `${web.origin(hostOf(site + 3))}/${(2 * n) % pages}`],
        ...(n % 5 === 0 && kind === undefined ? [`/r${n}`] : []),
        ...(n === 0 && site === 0 ? [...mirrors.keys()].map((mirror) => `${web.origin(mirror)}/0`) : []),
        ...(n === 0 && hasArticle ? ['/a0'] : []),
      ];
      const title = `${kind ?? ''} site ${site} page ${n}`;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      if (kind === 'a') {
        const words = Array.from({ length: 30 }, (_, part) => ownWords(`article ${part}`)).join(' ');
        response.end(
          page('article', `${prose(BIKE, 1)} ${words} ${site % 2 === 0 ? 'even' : 'odd'}`, links.slice(0, 2)),
        );
        return;
      }
      response.end(page(title, `${prose(BIKE, n + site)} ${ownWords(`${site} ${kind ?? ''} ${n}`)}`, links));
    });
  web.handle('food.test', (request, response) => {
    const n = Number(request.url?.slice(1));
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page(`food ${n}`, `${prose(FOOD, n)} ${ownWords(`food ${n}`)}`, []));
  });
  let taken = 0;
  return {
    ...web,
    reachable: sites * (pages + Math.ceil(pages / 5)),
    takeRequests: () => {
      const fresh = web.requests.slice(taken).filter((request) => !request.endsWith('/robots.txt'));
      taken = web.requests.length;
      return fresh;
    },
    mostAtOnce: () => mostAtOnce,
    requested: (count) =>
      new Promise((resolve) => {
        wanted = count;
        reach = resolve;
      }),
  };
}

/** Returns sixty words that no other page has, so that no page looks like a copy of another. */
function ownWords(key: string): string {
  let state = [...key].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const letter = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 'abcdefghiklmnoprstuvwz'[(state >>> 16) % 22]!;
  };
  return Array.from({ length: 60 }, () => Array.from({ length: 7 }, letter).join('')).join(' ');
}

/**
 * Returns a workspace file for that web.
 * @param perDomain of the network settings: the crawl can have twice as many shards
 */
export function manySitesWorkspace(web: ManySites, more = '', perDomain = 5): string {
  return `topics:
  - name: cycling
    examples: ["${web.origin('site0.test')}/0", "${web.origin('site0.test')}/1"]
others: [${[1, 2, 3, 4].map((n) => `"${web.origin('food.test')}/${n}"`).join(', ')}]
crawl: {learn: 6}
network:
  allowPrivate: true
  dnsServers: ["${web.dnsServer}"]
  delayMs: 0
  perDomain: ${Math.max(5, perDomain)}
  contact: test@example.org
analyze: {threads: 1}
${more}`;
}
