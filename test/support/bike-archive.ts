import { BIKE, FOOD, page, prose } from '../cli/support/bike-web.ts';
import type { MadePage } from '../lab/support/warc-writer.ts';

/** Pages per subject. */
export const ARCHIVED = 12;

/** Returns the URL of an archived page. */
export function archivedUrl(host: 'bikes' | 'food', n: number): string {
  return `https://${host}.example.org/${n}`;
}

/** Returns an archived web of two hosts: a dozen pages about bicycles and a dozen about food, linked within and across. */
export function bikeArchive(date = '2020-05-04T03:02:01Z'): readonly MadePage[] {
  return (['bikes', 'food'] as const).flatMap((host) =>
    Array.from({ length: ARCHIVED }, (_, n): MadePage => {
      const near = [(n + 1) % ARCHIVED, (n + 2) % ARCHIVED].map((next) => archivedUrl(host, next));
      const far = n % 3 > 0 ? [] : [archivedUrl(host === 'bikes' ? 'food' : 'bikes', n)];
      return {
        url: archivedUrl(host, n),
        body: page(`${host} page ${n}`, prose(host === 'bikes' ? BIKE : FOOD, n), [...near, ...far]),
        warcHeaders: { 'WARC-Date': date, 'WARC-Record-ID': `<urn:uuid:${host}-${n}-${date}>` },
      };
    }),
  );
}

/** Returns a workspace file with the archived pages as examples. */
export function archiveWorkspace(settings: string): string {
  return `topics:
  - name: bikes
    examples: [${archivedUrl('bikes', 0)}, ${archivedUrl('bikes', 1)}, ${archivedUrl('bikes', 2)}]
others: [${archivedUrl('food', 0)}, ${archivedUrl('food', 1)}, ${archivedUrl('food', 2)}]
crawl: { budget: 14, learn: 4 }
network: { concurrency: 1, contact: "", backoffMs: 1ms }
analyze: { threads: 1 }
${settings}
`;
}
