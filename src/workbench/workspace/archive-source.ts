import { timeOf } from '../../warc/index.ts';

/** Where the pages of a crawl are from. */
export type ArchiveSource =
  | { readonly kind: 'live' }
  | { readonly kind: 'files' }
  /** @param at ms since 1970: the closest capture counts; infinite for the newest */
  | { readonly kind: 'wayback'; readonly at: number }
  | { readonly kind: 'commoncrawl'; readonly crawl: string };

export const SOURCE = 'live, archive, wayback@DATE or commoncrawl@ID';
export const SOURCE_HINT = 'For example wayback@2020-05-01 or commoncrawl@CC-MAIN-2024-10.';

/** Parses `live`, `archive` (or `files`), `wayback`, `wayback@DATE`, `commoncrawl@ID`; `undefined` for anything else. */
export function parseArchiveSource(text: string): ArchiveSource | undefined {
  if (text === 'live') return { kind: 'live' };
  if (text === 'archive' || text === 'files') return { kind: 'files' };
  if (text === 'wayback') return { kind: 'wayback', at: Number.POSITIVE_INFINITY };
  const [, kind, value = ''] = /^(wayback|commoncrawl)@(\S+)$/.exec(text) ?? [];
  if (kind === 'commoncrawl')
    return /^CC-MAIN-\d{4}(?:-\d{2,4})?(?:-\d{4})?$/.test(value) ? { kind, crawl: value } : undefined;
  if (kind !== 'wayback' || !/^\d{4}(?:-?\d\d){0,5}$/.test(value)) return undefined;
  const at = timeOf(value.replaceAll('-', ''));
  return Number.isNaN(at) ? undefined : { kind, at };
}
