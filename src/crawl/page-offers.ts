import { type TopicId, VIAS } from '../core/index.ts';
import { type Fields, GROWTH, grown, Names, pathStart, TextArena } from '../kit/index.ts';
import type { FrontierEntry } from './ordering.ts';

/** Number of an offer. */
export type OfferId = number;

/** Fields that the links of one page have in common. */
export type PageOffer = Pick<FrontierEntry, 'from' | 'topic' | 'depth' | 'tunnelDepth' | 'via'>;

const FIRST_CAPACITY = 64;

/**
 * Stores how waiting links were offered, once for consecutive links of a page with equal offers. Offers are
 * reference-counted: `keep` returns a number, and an offer is freed after as many calls of `release`.
 */
export class PageOffers {
  readonly #texts = new TextArena();
  readonly #origins = new Names();
  /** Distinct topics; at most as many as the topic tree has. */
  readonly #topics: TopicId[] = [];
  #origin = new Uint32Array(FIRST_CAPACITY);
  #path = new Uint32Array(FIRST_CAPACITY);
  #topic = new Uint16Array(FIRST_CAPACITY);
  #depth = new Uint32Array(FIRST_CAPACITY);
  #tunnelDepth = new Uint32Array(FIRST_CAPACITY);
  #via = new Uint8Array(FIRST_CAPACITY);
  #uses = new Uint32Array(FIRST_CAPACITY);
  readonly #free: OfferId[] = [];
  #end = 0;
  /** Holds one reference more than its links. */
  #last: { readonly offer: PageOffer; readonly id: OfferId } | undefined;

  keep(offer: PageOffer): OfferId {
    if (this.#last === undefined || !isSame(this.#last.offer, offer)) {
      if (this.#last !== undefined) this.release(this.#last.id);
      const { from, topic, depth, tunnelDepth, via } = offer;
      this.#last = { offer: { from, topic, depth, tunnelDepth, via }, id: this.#add(offer) };
    }
    const { id } = this.#last;
    this.#uses[id]! += 1;
    return id;
  }

  release(id: OfferId): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#origins.release(this.#origin[id]!);
    this.#texts.release(this.#path[id]!);
    this.#free.push(id);
  }

  offer(id: OfferId): PageOffer {
    return {
      from: this.#origins.name(this.#origin[id]!) + this.#texts.text(this.#path[id]!),
      topic: this.topic(id),
      depth: this.#depth[id]!,
      tunnelDepth: this.#tunnelDepth[id]!,
      via: VIAS[this.#via[id]!]!,
    };
  }

  topic(id: OfferId): TopicId {
    return this.#topics[this.#topic[id]!]!;
  }

  #add({ from, topic, depth, tunnelDepth, via }: PageOffer): OfferId {
    const id = this.#free.pop() ?? this.#end++;
    if (id === this.#uses.length) this.#grow();
    const path = pathStart(from);
    this.#origin[id] = this.#origins.keep(from.slice(0, path));
    this.#path[id] = this.#texts.keep(from.slice(path));
    this.#topic[id] = this.#numberOf(topic);
    this.#depth[id] = depth;
    this.#tunnelDepth[id] = tunnelDepth;
    this.#via[id] = VIAS.indexOf(via);
    this.#uses[id] = 1;
    return id;
  }

  #numberOf(topic: TopicId): number {
    const known = this.#topics.indexOf(topic);
    return known < 0 ? this.#topics.push(topic) - 1 : known;
  }

  #grow(): void {
    const capacity = Math.ceil(this.#uses.length * GROWTH);
    this.#origin = grown(this.#origin, new Uint32Array(capacity));
    this.#path = grown(this.#path, new Uint32Array(capacity));
    this.#topic = grown(this.#topic, new Uint16Array(capacity));
    this.#depth = grown(this.#depth, new Uint32Array(capacity));
    this.#tunnelDepth = grown(this.#tunnelDepth, new Uint32Array(capacity));
    this.#via = grown(this.#via, new Uint8Array(capacity));
    this.#uses = grown(this.#uses, new Uint32Array(capacity));
  }

  exchange(fields: Fields): void {
    this.#texts.exchange(fields);
    this.#origins.exchange(fields);
    fields.list(this.#topics);
    this.#origin = fields.numbers(this.#origin);
    this.#path = fields.numbers(this.#path);
    this.#topic = fields.numbers(this.#topic);
    this.#depth = fields.numbers(this.#depth);
    this.#tunnelDepth = fields.numbers(this.#tunnelDepth);
    this.#via = fields.numbers(this.#via);
    this.#uses = fields.numbers(this.#uses);
    fields.list(this.#free);
    this.#end = fields.value(this.#end);
    this.#last = fields.value(this.#last);
  }
}

function isSame(a: PageOffer, b: PageOffer): boolean {
  return (
    a.from === b.from &&
    a.topic === b.topic &&
    a.depth === b.depth &&
    a.tunnelDepth === b.tunnelDepth &&
    a.via === b.via
  );
}
