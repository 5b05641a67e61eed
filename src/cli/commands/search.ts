import { UsageError } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import { hasContent } from '../../postprocess/index.ts';
import {
  type LocalAnswer,
  type LocalSearch,
  logQuery,
  meantWords,
  quoted,
  readSearch,
  resultRow,
  sanitizeForTerminal,
  searchContext,
  searchPages,
  table,
  unfetchedPages,
  withStore,
} from '../../workbench/index.ts';
import { usageOf } from '../args.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';
import { readCount } from '../read-count.ts';
import { resultText } from '../search/result-text.ts';
import { SEARCH_FLAGS, searchOptions } from '../search/search-flags.ts';

const LIMIT = 10;

export const search: Command = {
  name: 'search',
  summary: 'Search the stored pages, best first.',
  positionals: ['[DIR]', '[WORDS...]'],
  flags: {
    ...SEARCH_FLAGS,
    limit: { value: 'N', help: `Results shown. Default: ${LIMIT}.` },
    like: { value: 'URL', help: 'Pages most like this stored page. With words, only pages that have them all.' },
    unfetched: { help: 'List addresses that no crawl has fetched, by the words of links to them.' },
    details: { help: 'Also what each score consists of.' },
    json: { help: 'A JSON array on stdout.' },
  },
  examples: [
    ['bingo search bikes touring routes', 'Pages with either word; pages with both rank higher.'],
    ['bingo search bikes \'"dynamo hub" -car\'', 'Pages with a phrase, without a word.'],
    ["bingo search bikes '(dynamo OR generator) AND hub NOT car'", 'One of two words, and a third, but not a fourth.'],
    ['bingo search bikes "derailleur adjustment" --all --topic cycling', 'Both words, one topic.'],
    ['bingo search bikes saddle --accepted', 'Only accepted pages.'],
    ['bingo search bikes saddle --rejected', 'Only rejected pages, to find wrong rejections.'],
    ['bingo search bikes saddle --rank cosine=0.6,authority=0.4', 'Ranks by text and links together.'],
    [
      'bingo search bikes manual --site example.org --type pdf --since 30d',
      'PDF files of a site, fetched in the last 30 days.',
    ],
    ['bingo search bikes "title:manual site:example.org -type:pdf"', 'The same filters as words; a minus excludes.'],
    ['bingo search bikes saddle --rank bm25=0.8,votes=0.2', 'Also by the words of links to a page.'],
    ['bingo search bikes --like https://www.sheldonbrown.com/gears.html', 'Pages most like a stored page.'],
    ['bingo search bikes saddle --unfetched', 'Addresses that links promise, and that no crawl has fetched.'],
    ['bingo search bikes saddle --gone', 'Also pages that are gone; their text is still stored.'],
    ['bingo search bikes saddle --json --limit 100', 'For programs.'],
  ],
  notes: [
    'An asterisk ends a prefix. OR joins alternatives. AND or a plus requires a word. NOT or a minus excludes it. Parentheses ' +
      'group words. OR binds closer than AND.',
    'The words site:, type:, topic:, since: and until: work like the flags of these names. A minus before ' +
      'them excludes. title: finds a word or a phrase in titles.',
    'Words match by their stems, phrases in quotation marks match exactly. The number in brackets is the score that orders the results. --details shows how it ' +
      "is composed: cosine and bm25 measure the text, confidence and relevance are the classifier's values, authority " +
      'is from links. Each is relative to the best result, except relevance, which is from 0 to 1.',
    '--like searches for the terms that distinguish the page from the other stored pages. If pages have vectors (the space ' +
      'meaning), the best of them are ranked by terms and vectors. The page and its near duplicates are left out.',
  ],
  run: runSearch,
};

async function runSearch(args: Args, io: Io): Promise<number> {
  const [dir = '', words = ''] = args.positionals;
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const like = args.value('like');
  if (like === '' || (words === '' && like === undefined))
    throw new UsageError(
      `${like === '' ? 'The URL of --like' : 'WORDS'} is missing.`,
      `Usage: ${usageOf(search)}\nMore: bingo search --help`,
    );
  if (args.has('unfetched')) return await listUnfetched(args, io, limit);
  return withStore(dir, io, async (store, workspace) => {
    const { tree } = workspace;
    const search = readSearch(words, searchOptions(args), await searchContext(store, words, { tree, limit, like }));
    const answer = await searchPages(store, search);
    if (like === undefined) logQuery(workspace, { from: 'search', query: words, matches: answer.matches });
    if (args.has('json')) await writeJsonArray(io, answer.results.map(resultRow));
    else await io.out(resultText(answer.results, io, args.has('details')));
    // Without notes or filters, a typing mistake is the likely reason.
    const isPlain = like === undefined && (search.notes ?? []).length === 0 && narrowings(search, args).length === 0;
    const meant = foundNothing(answer) && isPlain ? await meantWords(store, words) : undefined;
    io.err(remarks(answer, search, { args, dir, limit, meant }));
    return EXIT.done;
  });
}

async function listUnfetched(args: Args, io: Io, limit: number): Promise<number> {
  const [dir = '', words = ''] = args.positionals;
  const filter = ['like', ...Object.keys(SEARCH_FLAGS)].find((flag) => args.has(flag));
  if (filter !== undefined) throw new UsageError(`--unfetched goes without --${filter}.`, 'It knows only links.');
  return await withStore(dir, io, async (store, workspace) => {
    const found = await unfetchedPages(store, workspace, { words, limit });
    if (args.has('json')) await writeJsonArray(io, found);
    else if (found.length > 0) {
      const columns = [{ title: 'votes', align: 'right' as const }, { title: 'address' }];
      await io.out(
        `${table(
          columns,
          found.map(({ votes, url }) => [count(votes), url]),
          io.columns(),
        ).join('\n')}\n`,
      );
    }
    const next = found.length === 0 ? 'No link to an unfetched address has these words. ' : '';
    io.err(`${next}Next: bingo crawl ${quoted(dir)} --budget N\n`);
    return EXIT.done;
  });
}

/** Also false if matching pages remain that were not searched for a phrase. */
function foundNothing({ results, ended, unchecked }: LocalAnswer): boolean {
  return results.length === 0 && ended === 0 && unchecked === 0;
}

/** Flags and operators that exclude pages. */
function narrowings({ query }: LocalSearch, args: Args): readonly string[] {
  const flags = ['all', 'accepted', 'rejected', 'topic', 'site', 'type', 'since', 'until'].filter((flag) =>
    args.has(flag),
  );
  const operators = query.filters.map(({ name, isRuledOut }) => `${isRuledOut ? '-' : ''}${name}:`);
  return [...flags.map((flag) => `--${flag}`), ...new Set(operators), ...(query.title ? ['title:'] : [])];
}

interface Asked {
  readonly args: Args;
  readonly dir: string;
  readonly limit: number;
  /** Suggested words. */
  readonly meant: string | undefined;
}

function remarks(answer: LocalAnswer, search: LocalSearch, { args, dir, limit, meant }: Asked): string {
  const { results, matches, unchecked, ended } = answer;
  const { notes = [] } = search;
  const more = [...notes.map(sanitizeForTerminal)];
  if (results.length < limit && ended > 0) more.push(goneText(ended, results.length > 0));
  if (results.length === limit && matches > limit && !args.has('json')) {
    const isMixed = results.some(({ others }) => others) && results.some(({ others }) => !others);
    const narrower = isMixed ? ', --accepted only accepted pages' : '';
    more.push(`${count(limit)} of ${counted(matches, 'page')}; --limit ${2 * limit} shows more${narrower}.`);
  }
  if (unchecked > 0 && results.length < limit)
    more.push(
      `The phrase was checked in the best ${matches - unchecked} of ${counted(matches, 'page')} with its words.`,
    );
  else if (foundNothing(answer)) {
    const narrow = narrowings(search, args);
    const again =
      meant !== undefined
        ? `Did you mean:  bingo search ${quoted(dir)} ${quoted(meant)}`
        : narrow.length > 0
          ? `Try it without ${narrow.join(', ')}.`
          : /["“„«]/.test(args.positionals[1] ?? '')
            ? 'Try the words without quotation marks.'
            : /(^|[\s(])(\+[\p{L}(]|AND\s)/u.test(args.positionals[1] ?? '')
              ? 'Try it without + and AND.'
              : hasContent(args.positionals[1] ?? '')
                ? undefined
                : 'Stop words are ignored: use other words.';
    more.push(`Nothing matches. ${again ?? `Next: bingo status ${quoted(dir)}`}`);
  }
  return more.map((line) => `${line}\n`).join('');
}

/** Counts results that are gone. @param isMore there are other results */
function goneText(ended: number, isMore: boolean): string {
  const pages = `${ended}${isMore ? ' more' : ''} matching ${ended === 1 ? 'page is' : 'pages are'}`;
  return `${pages} gone or moved. --gone shows ${ended === 1 ? 'it' : 'them'}.`;
}
