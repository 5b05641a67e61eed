import { decodeText } from '../html/entities.ts';
import type { Statement } from './statements.ts';

/** Longer data is a catalogue, not the description of one page. */
const MAX_CHARS = 100_000;
/** Limits on the values visited in all data of a page, and on their depth. */
const MAX_VALUES = 2_000;
const MAX_DEPTH = 5;
/** Data without one of these do not describe a publication. */
const TELLING = /"(?:author|creator|datePublished|dateModified|headline|license|publisher|isbn)"/;

/** Types whose items are publications, the page's own if there is one of them. */
const WORK =
  /(?:Article|Posting|Report|Book|Dataset|Thesis|Recipe|Course|Chapter|Review|VideoObject|PodcastEpisode|SoftwareSourceCode|CreativeWork)$/;
const PAGE = /Page$/;

type Node = Readonly<Record<string, unknown>>;

/** Returns what the structured data of a page (schema.org as JSON-LD) says about it. @param urls - addresses of the page */
export function readJsonLd(data: readonly string[], urls: readonly string[]): readonly Statement[] {
  const graph = new Graph();
  for (const json of data) if (json.length <= MAX_CHARS && TELLING.test(json)) graph.add(json);
  return graph.statements(urls);
}

/** The items of a page's structured data. */
class Graph {
  readonly #nodes: Node[] = [];
  readonly #byId = new Map<string, Node>();
  #left = MAX_VALUES;

  add(json: string): void {
    try {
      this.#visit(JSON.parse(json), 0);
    } catch {
      // Not JSON: ignored.
    }
  }

  #visit(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || --this.#left < 0) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#visit(item, depth + 1);
      return;
    }
    const node = value as Node;
    if (typesOf(node).length > 0) this.#nodes.push(node);
    if (typeof node['@id'] === 'string' && Object.keys(node).length > 1) this.#byId.set(node['@id'], node);
    for (const name of ['@graph', 'mainEntity', 'mainEntityOfPage']) this.#visit(node[name], depth + 1);
  }

  statements(urls: readonly string[]): readonly Statement[] {
    const main = this.#main(urls);
    if (main === undefined) return [];
    const of = (field: Statement['field'], ...values: readonly unknown[]): readonly Statement[] =>
      values
        .flatMap((value) => this.#texts(value, 0))
        .map((value) => ({ field, source: 'json-ld', value: decodeText(value) }));
    const site = this.#nodes.find((node) => typesOf(node).includes('WebSite'));
    return [
      ...of('title', main.headline ?? main.name),
      ...of('authors', main.author ?? main.creator),
      ...of('published', main.datePublished ?? main.dateCreated),
      ...of('modified', main.dateModified),
      ...of('site', site?.name, main.publisher),
      ...of('publisher', main.publisher),
      ...of('description', main.description ?? main.abstract),
      ...of('licence', this.#addresses(main.license)),
      ...of('type', typesOf(main).find((type) => WORK.test(type)) ?? typesOf(main)[0]),
      ...of('doi', main.doi, main.identifier, main.sameAs),
      ...of('isbn', main.isbn),
      ...of('image', this.#addresses(main.image)),
    ];
  }

  /** Returns the item that describes the page: the one with its address, or the only publication. */
  #main(urls: readonly string[]): Node | undefined {
    const works = this.#nodes.filter((node) => typesOf(node).some((type) => WORK.test(type)));
    const named = works.find((node) => this.#namesOf(node).some((name) => urls.includes(withoutFragment(name))));
    if (named !== undefined || works.length > 1) return named;
    return works[0] ?? this.#nodes.find((node) => typesOf(node).some((type) => PAGE.test(type)));
  }

  #namesOf({ url, '@id': id, mainEntityOfPage: page }: Node): readonly string[] {
    const inside = typeof page === 'object' && page !== null ? (page as Node)['@id'] : page;
    return [url, id, inside].filter((name) => typeof name === 'string');
  }

  /** Returns a value as texts: the text itself, the name of an item, or of the item that it refers to. */
  #texts(value: unknown, depth: number): readonly string[] {
    if (typeof value === 'string' || typeof value === 'number') return [String(value)];
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || --this.#left < 0) return [];
    if (Array.isArray(value)) return value.flatMap((item) => this.#texts(item, depth + 1));
    const { name, '@value': plain, value: stated, '@id': id } = value as Node;
    const own = name ?? plain ?? stated;
    if (own !== undefined) return this.#texts(own, depth + 1);
    const target = typeof id === 'string' ? this.#byId.get(id) : undefined;
    return target === undefined || target === value ? [] : this.#texts(target.name, depth + 1);
  }

  /** Returns the addresses of a value, such as an image or a licence. */
  #addresses(value: unknown): readonly string[] {
    const items = Array.isArray(value) ? value.slice(0, 5) : [value];
    return items.flatMap((item) => {
      if (typeof item === 'string') return [item];
      if (typeof item !== 'object' || item === null) return [];
      const { url, contentUrl, '@id': id } = item as Node;
      const address = [url, contentUrl, id].find((each) => typeof each === 'string');
      return typeof address === 'string' ? [address] : [];
    });
  }
}

function typesOf(node: Node): readonly string[] {
  const types = Array.isArray(node['@type']) ? node['@type'].slice(0, 5) : [node['@type']];
  return types.filter((type) => typeof type === 'string').map((type) => type.replace(/^https?:\/\/schema\.org\//, ''));
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
