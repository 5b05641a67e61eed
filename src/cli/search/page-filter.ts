import { type TopicTree, UsageError } from '../../core/index.ts';
import type { PageFilter } from '../../store/index.ts';
import type { Args, Flag } from '../command.ts';
import { findTopic } from '../find-topic.ts';
import { endingsOf } from '../sources/document-folder.ts';
import { parseDuration } from '../units.ts';

/** In the place of a topic: none. No topic may have this name. */
const OTHERS = 'OTHERS';

/** Flags of every command that looks at some of the stored pages. */
export const PAGE_FILTER_FLAGS: Readonly<Record<string, Flag>> = {
  topic: { value: 'TOPIC', repeats: true, help: 'Only pages accepted into this topic or below it; OTHERS: into none.' },
  site: { value: 'HOST', repeats: true, help: 'Only pages of this host and hosts below it.' },
  since: { value: 'WHEN', help: 'Only pages fetched since: 2026-01-31, or an age such as 7d.' },
  until: { value: 'WHEN', help: 'Only pages fetched before.' },
  type: { value: 'TYPE', repeats: true, help: 'Only html, pdf, word, powerpoint, text, or a media type.' },
};

/**
 * Reads them.
 * @throws UsageError when one cannot be understood, or no page could fulfil them
 */
export function readPageFilter(args: Args, tree: TopicTree): PageFilter {
  const now = Date.now();
  const types = args.values('type').flatMap(readType);
  const topics = args.values('topic');
  const filter: PageFilter = {
    topics: topics.filter((topic) => topic !== OTHERS).map((topic) => findTopic(tree, topic)),
    ...(topics.includes(OTHERS) ? { others: true } : {}),
    sites: args.values('site').map(readHost),
    types,
    endings: endingsOf(types),
    ...(args.has('since') ? { since: readTime('--since', args.value('since')!, now) } : {}),
    ...(args.has('until') ? { until: readTime('--until', args.value('until')!, now) } : {}),
  };
  if (filter.since !== undefined && filter.until !== undefined && filter.since >= filter.until)
    throw new UsageError(
      `No page was fetched since ${args.value('since')} and before ${args.value('until')}: the one begins after the other ends.`,
      'An age counts back from now: --since 7d --until 1d.',
    );
  return filter;
}

function readHost(text: string): string {
  const address = text.includes('://') ? text : `http://${text.replace(/^\*?\./, '')}`;
  // Pages have their hosts in lower case, and letters beyond ASCII as servers know them.
  const host = URL.parse(address)?.hostname ?? '';
  if (host !== '' && !/\s/.test(text)) return host;
  throw new UsageError(`--site: "${text}" is no host name.`, 'For example --site example.org.');
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  html: ['text/html', 'application/xhtml+xml'],
  pdf: ['application/pdf', 'application/x-pdf'],
  word: ['application/msword', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  powerpoint: [
    'application/vnd.ms-powerpoint',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ],
  text: ['text/plain', 'text/markdown', 'text/x-markdown'],
};

function readType(text: string): readonly string[] {
  const name = text.toLowerCase();
  const known = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (known !== undefined) return known;
  if (/^[\w.+-]+\/[\w.+-]+$/.test(name)) return [name];
  throw new UsageError(
    `--type: "${text}" is no type of page.`,
    `There are ${Object.keys(TYPES).join(', ')}, and media types such as application/epub+zip.`,
  );
}

function readTime(flag: string, text: string, now: number): number {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const time = Date.parse(text);
    // 31 February is no day, though there is a time that it is taken for.
    const day = Date.parse(text.slice(0, 10));
    if (Number.isFinite(time) && new Date(day).toISOString().startsWith(text.slice(0, 10))) return time;
  } else if (/^\d+(\.\d+)?\s*[a-z]/i.test(text)) {
    const age = parseDuration(text);
    if (age !== undefined) return now - age;
  }
  throw new UsageError(
    `${flag} takes a day or an age, got "${text}".`,
    'For example 2026-01-31, 2026-01-31T12:00Z, 7d, 12h.',
  );
}
