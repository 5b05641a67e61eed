import { createHash } from 'node:crypto';
import type { NewsKind } from '../../core/index.ts';
import { counted, sanitizeText } from '../../kit/index.ts';
import { escapeMarkup, webAddress } from '../../postprocess/index.ts';
import type { NewsItem, NewsMessage } from './notify-state.ts';

const NAMES: { readonly [K in NewsKind]: (n: number) => string } = {
  new: (n) => counted(n, 'new page'),
  changed: (n) => counted(n, 'changed page'),
  gone: (n) => counted(n, 'gone page'),
  queries: (n) => counted(n, 'finding'),
  alarms: (n) => counted(n, 'alarm'),
};

/** Returns what a message is about, on one line: `bikes: 3 new pages, 1 alarm`. */
export function newsSubject({ workspace, counts }: NewsMessage): string {
  const parts = Object.entries(counts).map(([kind, n]) => NAMES[kind as NewsKind](n));
  return sanitizeText(`${workspace}: ${parts.join(', ')}`);
}

/** Returns a message as plain text. */
export function newsText({ counts, items }: NewsMessage): string {
  const kinds = Object.entries(counts) as [NewsKind, number][];
  const parts = kinds.flatMap(([kind, n]) => {
    const shown = items.filter((item) => item.kind === kind);
    const more = n - shown.length;
    const heading = NAMES[kind](n);
    return [
      heading,
      '-'.repeat(heading.length),
      '',
      ...shown.flatMap(itemLines),
      ...(more > 0 ? [`… and ${more} more`, ''] : []),
    ];
  });
  return `${parts.join('\n').trimEnd()}\n`;
}

function itemLines({ title, url, topic, note, changes = [] }: NewsItem): readonly string[] {
  return [
    title === '' ? (url ?? '') : title,
    ...[url, topic === undefined ? null : `Topic: ${topic}`, note ?? null].flatMap((line) =>
      line === null || line === '' ? [] : [`  ${sanitizeText(line)}`],
    ),
    ...changes.map((line) => `  ${line}`),
    '',
  ];
}

/** Returns items as an Atom feed (RFC 4287). */
export function newsFeed(title: string, items: readonly NewsItem[]): string {
  const updated = items[0]?.at ?? '1970-01-01T00:00:00.000Z';
  const entries = items.map((item) => {
    const { kind, url, at } = item;
    const address = url === null ? undefined : webAddress(url);
    const link = address === undefined ? '' : `<link rel="alternate" href="${escapeMarkup(address)}"/>\n`;
    const lines = itemLines(item)
      .map(escapeMarkup)
      .filter((line) => line !== '');
    return (
      `<entry>\n<id>${uuidOf(`${kind}\n${url}\n${item.title}\n${at}`)}</id>\n<title>${escapeMarkup(`${LABELS[kind]}: ${item.title || (url ?? '')}`)}</title>\n` +
      `<updated>${at}</updated>\n${link}<category term="${kind}"/>\n<content type="text">${lines.join('\n')}</content>\n</entry>\n`
    );
  });
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n' +
    `<id>${uuidOf(title)}</id>\n<title>${escapeMarkup(title)}</title>\n<updated>${updated}</updated>\n` +
    `<author><name>${escapeMarkup(title)}</name></author>\n<generator>Bingo</generator>\n${entries.join('')}</feed>\n`
  );
}

const LABELS: { readonly [K in NewsKind]: string } = {
  new: 'New',
  changed: 'Changed',
  gone: 'Left',
  queries: 'Found',
  alarms: 'Alarm',
};

/** Equal text always has the same id (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
