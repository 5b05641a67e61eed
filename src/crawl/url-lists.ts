import { type Fields, Names, pathStart, TextArena, type TextId } from '../kit/index.ts';

/** Number of a stored list. */
export type UrlListId = TextId;

/** Radix of origin numbers. No digit is a slash, and paths begin with a slash. */
const RADIX = 36;

/**
 * Lists of URLs, joined by `\n`, in a third of the memory. Schemes and hosts are stored once and numbered; paths are
 * stored in one buffer. `keep` returns a number; `release` frees its list.
 *
 *   http://a.test/x \n http://b.test/ \n http://a.test/y     ──▶     0/x \n 1/ \n 0/y
 */
export class UrlLists {
  readonly #texts = new TextArena();
  readonly #origins = new Names();

  keep(urls: string): UrlListId {
    // Most links of a page lead to one site.
    let last = '';
    let origin = 0;
    const short = (url: string): string => {
      const path = pathStart(url);
      if (path === last.length && url.startsWith(last)) this.#origins.keepAgain(origin);
      else {
        last = url.slice(0, path);
        origin = this.#origins.keep(last);
      }
      return origin.toString(RADIX) + url.slice(path);
    };
    return this.#texts.keep(mapLines(urls, short));
  }

  text(id: UrlListId): string {
    return mapLines(this.#texts.text(id), (short) => {
      const path = pathOf(short);
      return this.#origins.name(Number.parseInt(short.slice(0, path), RADIX)) + short.slice(path);
    });
  }

  release(id: UrlListId): void {
    mapLines(this.#texts.text(id), (short) => {
      this.#origins.release(Number.parseInt(short.slice(0, pathOf(short)), RADIX));
      return '';
    });
    this.#texts.release(id);
  }

  exchange(fields: Fields): void {
    this.#texts.exchange(fields);
    this.#origins.exchange(fields);
  }
}

function pathOf(short: string): number {
  const slash = short.indexOf('/');
  return slash < 0 ? short.length : slash;
}

/** Maps each line. An empty text has no lines. */
function mapLines(text: string, change: (line: string) => string): string {
  return text === '' ? '' : text.split('\n').map(change).join('\n');
}
