import { RANK_MEASURES } from '../../core/index.ts';
import type { PageFilterOptions, SearchOptions } from '../../workbench/index.ts';
import type { Args, Flag } from '../command.ts';

/** Flags of every command that selects stored pages. */
export const PAGE_FILTER_FLAGS: Readonly<Record<string, Flag>> = {
  topic: { value: 'TOPIC', repeats: true, help: 'Only pages accepted into this topic or below it; OTHERS: into none.' },
  site: { value: 'HOST', repeats: true, help: 'Only pages of this host and hosts below it.' },
  since: {
    value: 'WHEN',
    help: 'Only pages fetched since: 2026-01-31 or 2026-01-31T12:00 (UTC), or an age such as 7d.',
  },
  until: { value: 'WHEN', help: 'Only pages fetched before.' },
  type: { value: 'TYPE', repeats: true, help: 'Only html, pdf, word, powerpoint, text, or a media type.' },
  field: {
    value: 'CONDITION',
    repeats: true,
    help: 'Only pages with this field of an extractor: price, price<100, maker=Acme, maker~acm.',
  },
  author: { value: 'NAME', repeats: true, help: 'Only pages that name this author; part of a name is enough.' },
  published: { value: 'DATES', help: 'Only pages published in this time: 2024, 2024-05.., 2023..2024.' },
  lang: { value: 'CODE', repeats: true, help: 'Only pages in this language: an ISO 639-1 code such as de.' },
};

/** Flags of every command that searches. */
export const SEARCH_FLAGS: Readonly<Record<string, Flag>> = {
  ...PAGE_FILTER_FLAGS,
  accepted: { help: 'Only accepted pages, of any topic.' },
  rejected: { help: 'Only rejected pages. Default: after the accepted ones.' },
  all: { help: 'Only pages with every word.' },
  rank: {
    value: 'WEIGHTS',
    help: `Rank by ${RANK_MEASURES.join(', ')}, or by a sum such as cosine=0.6,authority=0.4.`,
  },
  alike: { help: 'Show near duplicates one by one.' },
  gone: { help: 'Also pages that rechecks found gone or moved; they are marked.' },
};

/** The values of {@link PAGE_FILTER_FLAGS}. */
export function pageFilterOptions(args: Args): PageFilterOptions {
  return {
    topic: args.values('topic'),
    site: args.values('site'),
    type: args.values('type'),
    field: args.values('field'),
    author: args.values('author'),
    published: args.value('published'),
    lang: args.values('lang'),
    since: args.value('since'),
    until: args.value('until'),
    named: (option) => `--${option}`,
  };
}

/** The values of {@link SEARCH_FLAGS}. */
export function searchOptions(args: Args): SearchOptions {
  return {
    ...pageFilterOptions(args),
    accepted: args.has('accepted'),
    rejected: args.has('rejected'),
    all: args.has('all'),
    alike: args.has('alike'),
    gone: args.has('gone'),
    rank: args.value('rank'),
  };
}
