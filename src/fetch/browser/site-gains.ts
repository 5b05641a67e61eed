import { LruMap } from '../../kit/index.ts';
import type { Need, SourceFigures } from './page-need.ts';

/** What rendering brought on a site, by the need that its pages showed. */
interface Gains {
  rendered: number;
  gained: number;
  /** Pages left alone since the last one that was rendered. */
  skipped: number;
}

const MAX_SITES = 10_000;
/** Pages that are rendered before a site counts as known. Our choice. */
const TRIED: Readonly<Record<Exclude<Need, 'no'>, number>> = { likely: 3, maybe: 1 };
/** Of the pages of a site where rendering brought nothing, one in so many is tried again. */
const AGAIN = 50;
/** Rendering pays if the text doubles and grows by this many characters, or if it adds as many links. */
const MORE_CHARS = 100;
const MORE_LINKS = 3;

/** True if a browser showed more of a page than its source. */
export function isGain(plain: SourceFigures, rendered: SourceFigures): boolean {
  const isLonger = rendered.text >= 2 * plain.text && rendered.text - plain.text >= MORE_CHARS;
  return isLonger || rendered.links - plain.links >= MORE_LINKS;
}

/** Learns on which sites a browser shows more than the source of a page. */
export class SiteGains {
  readonly #sites = new LruMap<string, Gains>(MAX_SITES);

  /** Returns whether a page should be rendered. */
  isWorth(site: string, need: Need): boolean {
    if (need === 'no') return false;
    const gains = this.#sites.get(`${need} ${site}`);
    if (gains === undefined || gains.rendered < TRIED[need] || gains.gained * 4 >= gains.rendered) return true;
    gains.skipped++;
    return gains.skipped % AGAIN === 0;
  }

  note(site: string, need: Need, isGained: boolean): void {
    const key = `${need} ${site}`;
    const gains = this.#sites.get(key) ?? { rendered: 0, gained: 0, skipped: 0 };
    gains.rendered++;
    if (isGained) gains.gained++;
    this.#sites.set(key, gains);
  }
}
