import { hiddenTopics, isWithin, type TopicTree, UsageError } from '../../core/index.ts';
import type { FilterName, TypedFilter } from '../../postprocess/index.ts';
import type { FieldCondition, PageFilter } from '../../store/index.ts';
import { endingsOf } from '../sources/document-folder.ts';
import { parseDuration } from '../words/units.ts';
import { findTopic } from '../workspace/find-topic.ts';

/** Selects rejected pages in place of a topic. No topic may have this name. */
const OTHERS = 'OTHERS';

/** The user's selection of stored pages. */
export interface PageFilterOptions {
  /** Pages accepted into one of these topics or their subtopics; `OTHERS` selects rejected pages. */
  readonly topic?: readonly string[] | undefined;
  /** Pages of these hosts and their subdomains. */
  readonly site?: readonly string[] | undefined;
  /** Pages fetched since then: `2026-01-31`, `2026-01-31T12:00` (UTC), or an age such as `7d`. */
  readonly since?: string | undefined;
  /** Pages fetched before then. */
  readonly until?: string | undefined;
  /** `html`, `pdf`, `word`, `powerpoint`, `text`, or a media type. */
  readonly type?: readonly string[] | undefined;
  /** Pages with this field of an extractor: `price`, `price<100`, `maker=Acme`; `~` finds text within a field. */
  readonly field?: readonly string[] | undefined;
  /** Pages with these letters in the name of an author. */
  readonly author?: readonly string[] | undefined;
  /** Pages published then: `2024`, `2024-05..`, `2023..2024`. */
  readonly published?: string | undefined;
  /** Pages in one of these languages: ISO 639-1 codes such as `de`. */
  readonly lang?: readonly string[] | undefined;
  /** Returns the name of an option for error messages. Default: its name here. */
  readonly named?: (option: string) => string;
}

/** A value from a flag, or from an operator in the query. */
interface Given {
  readonly text: string;
  /** The name used: `--site`, `site:`. */
  readonly by: string;
}

/**
 * Combines the options with the operators in a query, which count like flags.
 * @throws UsageError if one is invalid, or no page could match them
 */
export function readPageFilter(
  options: PageFilterOptions,
  tree: TopicTree,
  typed: readonly TypedFilter[] = [],
): PageFilter {
  const now = Date.now();
  const { named: nameOf = (option) => option } = options;
  const given = (name: FilterName): readonly Given[] => [
    ...[options[name] ?? []].flat().map((text) => ({ text, by: nameOf(name) })),
    ...operators(typed, name, false),
  ];
  const [since, until] = [timesOf(given('since'), now).at(-1), timesOf(given('until'), now)[0]];
  if (since !== undefined && until !== undefined && since.time >= until.time)
    throw new UsageError(
      `No page was fetched since ${since.text} and before ${until.text}: the one begins after the other ends.`,
      `An age counts back from now: ${nameOf('since')} 7d ${nameOf('until')} 1d.`,
    );
  const barred = typed.find(({ name, isRuledOut }) => isRuledOut && (name === 'since' || name === 'until'));
  if (barred !== undefined)
    throw new UsageError(
      `-${barred.name}: is nothing that can be asked.`,
      `For example ${barred.name === 'since' ? 'until' : 'since'}:${barred.value}.`,
    );
  const wanted = places(given, tree);
  const ruledOut = places((name) => operators(typed, name, true), tree);
  // Topics that bingo.yaml does not show appear only if the user names them.
  const hidden = hiddenTopics(tree).filter((id) => !wanted.topics?.some((topic) => isWithin(topic, id)));
  const without = { ...ruledOut, topics: [...(ruledOut.topics ?? []), ...hidden] };
  return {
    ...wanted,
    ...(since === undefined ? {} : { since: since.time }),
    ...(until === undefined ? {} : { until: until.time }),
    ...(hidden.length > 0 || typed.some(({ isRuledOut }) => isRuledOut) ? { without } : {}),
  };
}

function operators(typed: readonly TypedFilter[], name: FilterName, isRuledOut: boolean): readonly Given[] {
  const own = typed.filter((filter) => filter.name === name && filter.isRuledOut === isRuledOut);
  return own.map(({ value }) => ({ text: value, by: `${isRuledOut ? '-' : ''}${name}:` }));
}

type Places = Pick<PageFilter, 'topics' | 'others' | 'sites' | 'types' | 'endings' | 'languages' | 'fields'>;

function places(given: (name: FilterName) => readonly Given[], tree: TopicTree): Places {
  const topics = given('topic').map(({ text }) => text);
  const types = given('type').flatMap(readType);
  const languages = given('lang').flatMap(readLanguages);
  const fields = [
    ...given('field').map(readField),
    ...given('author').map(({ text }): FieldCondition => ({ name: 'bib.authors', is: '~', value: text })),
    ...given('published').flatMap(readPublished),
  ];
  return {
    topics: topics.filter((topic) => topic !== OTHERS).map((topic) => findTopic(tree, topic)),
    ...(topics.includes(OTHERS) ? { others: true } : {}),
    sites: given('site').map(readHost),
    types,
    endings: endingsOf(types),
    ...(languages.length > 0 && { languages }),
    ...(fields.length > 0 && { fields }),
  };
}

/** Times in ascending order. */
function timesOf(given: readonly Given[], now: number): readonly { readonly time: number; readonly text: string }[] {
  const times = given.map(({ text, by }) => ({ time: readTime(by, text, now), text }));
  return times.sort((a, b) => a.time - b.time);
}

function readHost({ text, by }: Given): string {
  const address = text.includes('://') ? text : `http://${text.replace(/^\*?\./, '')}`;
  // Stored host names are in lower case, with letters beyond ASCII in punycode.
  const host = URL.parse(address)?.hostname ?? '';
  if (host !== '' && !/\s/.test(text)) return host;
  throw new UsageError(`${named(by)} "${text}" is not a host name.`, `For example ${example(by, 'example.org')}.`);
}

/** A field, optionally with a comparison. */
const FIELD = /^([A-Za-z][\w.-]*)\s*(?:(<=|>=|[<>=~])\s*(.+))?$/;

function readField({ text, by }: Given): FieldCondition {
  const [, name, is, value = ''] = FIELD.exec(text) ?? [];
  if (name !== undefined && is === undefined) return { name, is: 'there', value: '' };
  const isOrder = is !== '=' && is !== '~';
  if (name !== undefined && !(isOrder && Number.isNaN(Number(value))))
    return { name, is: is as FieldCondition['is'], value };
  throw new UsageError(
    `${named(by)} "${text}" is not a condition on a field.`,
    `For example ${example(by, "'price<100'")}, or = for a value, ~ for text within the field.`,
  );
}

function readLanguages({ text, by }: Given): readonly string[] {
  const codes = text.toLowerCase().split(/[\s,]+/);
  if (codes.every((code) => /^[a-z]{2,3}$/.test(code))) return codes;
  throw new UsageError(
    `${named(by)} "${text}" is not a language code.`,
    `Use ISO 639-1 codes, for example ${example(by, 'de')}.`,
  );
}

/** A date or a range of dates; each is a year, a month or a day. */
const DATES = /^(\d{4}(?:-\d\d){0,2})?(\.\.)?(\d{4}(?:-\d\d){0,2})?$/;
/** Follows every date that begins with the text before it. */
const PAST_ALL = '~';

/** A range includes its ends; `2024..` has no end. */
function readPublished({ text, by }: Given): readonly FieldCondition[] {
  const [, from, range, last] = DATES.exec(text.trim()) ?? [];
  const to = last ?? (range === undefined ? from : undefined);
  const isDate = (from !== undefined || last !== undefined) && (range !== undefined || last === undefined);
  if (!isDate || (from !== undefined && to !== undefined && from > `${to}${PAST_ALL}`))
    throw new UsageError(
      `${named(by)} "${text}" is not a date or a range of dates.`,
      `For example ${example(by, '2024')}, ${example(by, '2024-05..')} or ${example(by, '2023..2024')}.`,
    );
  const name = 'bib.published';
  return [
    ...(from === undefined ? [] : [{ name, is: '>=', value: from, isText: true } as const]),
    ...(to === undefined ? [] : [{ name, is: '<', value: `${to}${PAST_ALL}`, isText: true } as const]),
  ];
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

function readType({ text, by }: Given): readonly string[] {
  const name = text.toLowerCase();
  const known = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (known !== undefined) return known;
  if (/^[\w.+-]+\/[\w.+-]+$/.test(name)) return [name];
  throw new UsageError(
    `${named(by)} "${text}" is not a page type.`,
    `Known types: ${Object.keys(TYPES).join(', ')}, and media types such as application/epub+zip.${by.endsWith(':') ? ' As words, in quotation marks: "type:…".' : ''}`,
  );
}

/** `--site:` and `site:`, as the start of an error message. */
function named(by: string): string {
  return by.endsWith(':') ? by : `${by}:`;
}

function example(by: string, value: string): string {
  return by.endsWith(':') ? `${by}${value}` : `${by} ${value}`;
}

/** A date, optionally with time and zone. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses a date. Days and times without a zone are UTC, as in all output. Only this form is accepted: JavaScript
 * reads other forms in the machine's own zone.
 */
function readTime(flag: string, text: string, now: number): number {
  const [, day, clock = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  if (day !== undefined) {
    const time = Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
    // 31 February is invalid, although JavaScript parses it.
    if (Number.isFinite(time) && new Date(Date.parse(day)).toISOString().startsWith(day)) return time;
  } else if (/^\d+(\.\d+)?\s*[a-z]/i.test(text)) {
    const age = parseDuration(text);
    if (age !== undefined) return now - age;
  }
  throw new UsageError(
    `${flag} takes a day or an age, got "${text}".`,
    'For example 2026-01-31, 2026-01-31T12:00Z, 7d, 12h.',
  );
}
