import { count, counted } from '../../kit/index.ts';
import { hasContent } from '../../postprocess/index.ts';
import {
  type LocalAnswer,
  type LocalSearch,
  meantWords,
  quoted,
  readSearch,
  resultRow,
  sanitizeForTerminal,
  searchContext,
  searchPages,
  withStore,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';
import { readCount } from '../read-count.ts';
import { resultText } from '../search/result-text.ts';
import { SEARCH_FLAGS, searchOptions } from '../search/search-flags.ts';

const LIMIT = 10;

export const search: Command = {
  name: 'search',
  summary: 'Ask what was found: stored pages, best first.',
  positionals: ['[DIR]', 'WORDS...'],
  flags: {
    ...SEARCH_FLAGS,
    limit: { value: 'N', help: `Results shown. Default: ${LIMIT}.` },
    json: { help: 'A JSON array on stdout.' },
  },
  examples: [
    ['bingo search bikes touring routes', 'Pages about either word, most often those with both first.'],
    ['bingo search bikes \'"dynamo hub" -car\'', 'Pages with a phrase, without a word.'],
    [
      "bingo search bikes '(dynamo OR generator) AND hub NOT car'",
      'Either of two words, with a third, without a fourth.',
    ],
    ['bingo search bikes "derailleur adjustment" --all --topic cycling', 'Both words, one topic.'],
    ['bingo search bikes saddle --accepted', 'Pages that Bingo took for one of your topics, and no others.'],
    ['bingo search bikes saddle --rejected', 'Pages that no topic accepted: a relevant one may be among them.'],
    ['bingo search bikes saddle --rank cosine=0.6,authority=0.4', 'Text and links decide together.'],
    ['bingo search bikes manual --site example.org --type pdf --since 30d', 'PDF files of a site, of this month.'],
    ['bingo search bikes "title:manual site:example.org -type:pdf"', 'The same flags as words, also ruled out.'],
    ['bingo search bikes saddle --gone', 'Also what is gone by now: its text is still here.'],
    ['bingo search bikes saddle --json --limit 100', 'For programs.'],
  ],
  notes: [
    'An asterisk behind a word stands for the rest of it. OR joins words or phrases of which any will do, AND and a plus before a word require it, NOT and a minus rule it out; what stands ' +
      'between parentheses is joined, required or ruled out together. OR binds closer than AND.',
    'The words may hold site:, type:, topic:, since: and until:, which ask what the flags of these names ask, with a minus before ' +
      'them the contrary; and title:, for a word or a phrase of titles.',
    'Words are looked for by their stems, phrases between quotation marks as they stand. Every result says how its score ' +
      'came about: cosine and bm25 measure the text, confidence and relevance are what the classifier thinks, authority ' +
      'is what the links say. Each counts relative to the best result; relevance, from 0 to 1, as it is.',
  ],
  run: runSearch,
};

async function runSearch(args: Args, io: Io): Promise<number> {
  const [dir = '', words = ''] = args.positionals;
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  return withStore(dir, io, async (store, { tree }) => {
    const search = readSearch(words, searchOptions(args), await searchContext(store, words, { tree, limit }));
    const answer = await searchPages(store, search);
    if (args.has('json')) await writeJsonArray(io, answer.results.map(resultRow));
    else await io.out(resultText(answer.results, io));
    // Without notes or filters, a typing mistake is the likely reason.
    const isPlain = (search.notes ?? []).length === 0 && narrowings(search, args).length === 0;
    const meant = foundNothing(answer) && isPlain ? await meantWords(store, words) : undefined;
    io.err(remarks(answer, search, { args, dir, limit, meant }));
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
    const narrower = isMixed ? ', --accepted those of topics alone' : '';
    more.push(`${count(limit)} of ${counted(matches, 'page')}; --limit ${2 * limit} shows more${narrower}.`);
  }
  if (unchecked > 0 && results.length < limit)
    more.push(
      `The phrase was looked for in the best ${matches - unchecked} of ${counted(matches, 'page')} with its words.`,
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
                : 'Stop words say nothing: use words that matter.';
    more.push(`Nothing matches. ${again ?? `See what there is: bingo status ${quoted(dir)}`}`);
  }
  return more.map((line) => `${line}\n`).join('');
}

/** Counts results that are gone. @param isMore there are other results */
function goneText(ended: number, isMore: boolean): string {
  const pages = `${ended}${isMore ? ' more' : ''} ${ended === 1 ? 'page that matches has' : 'pages that match have'}`;
  return `${pages} left: gone or moved by now. --gone shows ${ended === 1 ? 'it' : 'them'}.`;
}
