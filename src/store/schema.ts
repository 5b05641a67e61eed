/**
 * The tables, as Kysely and the writer know them. `docs/schema.md` explains every column; `migrations.ts` makes them.
 * Text is well-formed, without NUL, and truncated to {@link MAX_CHARS}; a real number that is not finite is null.
 */
export interface Tables {
  readonly meta: { readonly name: string; readonly value: string };
  readonly journal: { readonly sequence: number; readonly kind: string };
  readonly url: { readonly id: number; readonly hash: number; readonly url: string };
  readonly url_run: {
    readonly first: number;
    readonly last: number;
    readonly base: number;
    readonly blocks: number;
    readonly pieces: number;
  };
  readonly url_block: { readonly id: number; readonly data: Uint8Array };
  readonly page: PageTable;
  readonly page_content: { readonly page: number; readonly content: Uint8Array };
  readonly page_score: PageScoreTable;
  readonly link: {
    readonly page: number;
    readonly n: number;
    readonly target: number;
    readonly anchor: string;
    flags: number;
  };
  readonly alias: { readonly url_id: number; readonly page: number; readonly reason: string };
  readonly visit: VisitTable;
  readonly phase: { readonly sequence: number; readonly phase: string; readonly reason: string; readonly at: number };
  readonly run: { readonly sequence: number; readonly at: number; readonly settings: string };
  readonly steer: { readonly sequence: number; readonly at: number; readonly command: string };
  readonly round: {
    readonly sequence: number;
    readonly model: number;
    readonly reason: string;
    readonly undone: number;
    readonly at: number;
  };
  readonly round_data: { readonly round: number; readonly model_blob: Uint8Array; readonly details: Uint8Array };
  readonly training: TrainingTable;
  readonly estimate: EstimateTable;
  readonly archetype: {
    readonly round: number;
    readonly n: number;
    readonly step: string;
    readonly example: string;
    readonly topic: string;
    readonly origin: string;
  };
  readonly link_score: {
    readonly topic: string;
    readonly url_id: number;
    readonly hub: number;
    readonly authority: number;
  };
  readonly authority: { readonly page: number; readonly topic: string; readonly authority: number };
  readonly importance: { readonly page: number; readonly ib: number; readonly ir: number; readonly il: number };
  readonly ending: { readonly page: number; readonly ending: string; readonly at: number; readonly target: string };
  readonly snippet_limit: { readonly page: number; chars: number };
  readonly page_vote: {
    readonly page: number;
    readonly voter: string;
    readonly topic: string;
    readonly confidence: number;
  };
  readonly link_priority: {
    readonly page: number;
    readonly n: number;
    readonly ordering: string;
    readonly priority: number;
  };
  readonly page_field: {
    readonly page: number;
    readonly name: string;
    readonly kind: string;
    readonly text: string;
    readonly number: number | null;
  };
  readonly feature_block: { readonly block: number; readonly data: Uint8Array };
  readonly term_log: { readonly page: number; readonly stems: Uint8Array };
  readonly term_segment: {
    readonly first: number;
    readonly last: number;
    readonly pages: number;
    readonly lengths: Uint8Array;
  };
  readonly term_block: { readonly segment: number; readonly stem: number; readonly data: Uint8Array };
  readonly pair_log: { readonly page: number; readonly pairs: Uint8Array };
  readonly pair_block: { readonly segment: number; readonly pair: number; readonly data: Uint8Array };
  readonly vote_word: { readonly segment: number; readonly word: string; readonly data: Uint8Array };
  readonly link_segment: {
    readonly first: number;
    readonly last: number;
    readonly links: number;
    readonly data: Uint8Array;
  };
  readonly stem_list: { readonly sequence: number; readonly stems: Uint8Array };
  readonly topic: {
    readonly id: string;
    readonly parent: string | null;
    readonly name: string;
    readonly good: number;
    readonly place: number;
  };
  readonly steer_request: { readonly id: number; readonly at: number; readonly command: string };
  readonly live_status: { readonly id: number; readonly at: number; readonly status: string };
  readonly page_sum: PageSumTable;
  readonly host_sum: {
    readonly host: string;
    readonly site: string;
    readonly pages: number;
    readonly sitemaps: number;
    readonly relevant: number;
    readonly rated: number;
    readonly relevance: number;
  };
  readonly minute_sum: {
    readonly minute: string;
    readonly pages: number;
    readonly relevant: number;
    readonly rated: number;
    readonly relevance: number;
  };
  readonly parcel: { readonly target: number; readonly sequence: number; readonly data: Uint8Array };
  readonly inbox: {
    readonly sequence: number;
    readonly source: number;
    readonly upto: number;
    readonly at: number;
    readonly data: Uint8Array;
  };
  readonly shard_grant: { readonly shard: number; readonly pages: number };
  readonly shard_worker: { readonly id: string; readonly seen: number };
  readonly followed: { readonly source: number; readonly own: number; readonly place: number };
  readonly first_verdict: FirstVerdictTable;
  readonly first_topics: { readonly id: number; readonly names: string };
  readonly first_scores: { readonly page: number; readonly topics: number; readonly scores: Uint8Array };
  /** Of schema versions 3 to 21. */
  readonly first_score: PageScoreTable;
}

/** Pages of a block of records that have the same verdict, and were found in the same way. */
export interface PageSumTable {
  /** Sequence with which the block begins, or 0. */
  readonly block: number;
  readonly role: string;
  readonly via: string;
  readonly topic: string;
  readonly others: number;
  /** See `relevanceBin`. */
  readonly bin: number;
  /** 1 for pages that no newer version replaced. */
  readonly live: number;
  readonly pages: number;
  /** Pages with a confidence, and the sum of these. */
  readonly judged: number;
  readonly confidence: number;
  /** Pages with a relevance, and the sum of these. */
  readonly rated: number;
  readonly relevance: number;
  /** The greatest. */
  readonly depth: number;
}

/** First verdict of the crawl on a page, if it was changed since. */
export interface FirstVerdictTable {
  readonly page: number;
  readonly topic: string;
  readonly others: number;
  readonly confidence: number | null;
  readonly relevance: number | null;
  readonly model: number;
}

/** How a URL was found: columns shared by `page` and `visit`. */
interface OriginColumns {
  readonly via: string;
  readonly from_url: string;
  readonly queue: string;
  readonly depth: number;
  readonly tunnel_depth: number;
  readonly priority: number | null;
}

export interface PageTable extends OriginColumns {
  readonly sequence: number;
  readonly url: string;
  readonly final_url: string;
  readonly redirects: string;
  readonly host: string;
  readonly site: string;
  readonly role: string;
  readonly title: string;
  readonly topic: string;
  readonly others: number;
  readonly confidence: number | null;
  readonly relevance: number | null;
  readonly model: number;
  readonly status: number;
  readonly content_type: string;
  readonly fetched_at: number;
  readonly bytes: number;
  readonly address: string;
  readonly etag: string;
  readonly last_modified: string;
  language: string;
  readonly tokens: number;
  readonly canonical: string;
  readonly noindex: number;
  readonly nofollow: number;
  readonly content_hash: string;
  readonly simhash: string;
  readonly replaced_by: number | null;
}

export interface VisitTable extends OriginColumns {
  readonly sequence: number;
  readonly url: string;
  readonly url_id: number;
  readonly host: string;
  readonly result: string;
  readonly reason: string;
  readonly detail: string;
  readonly status: number;
  readonly target: string;
  readonly page: number;
  readonly retried: number;
  readonly fetched_at: number;
}

export interface PageScoreTable {
  readonly page: number;
  readonly n: number;
  readonly topic: string;
  readonly confidence: number | null;
  readonly calibrated: number | null;
  readonly bayes: number | null;
  readonly bayes_calibrated: number | null;
  readonly cosine: number | null;
  readonly relevance: number | null;
}

export interface TrainingTable {
  readonly round: number;
  readonly n: number;
  readonly example: string;
  readonly title: string;
  readonly topic: string;
  readonly origin: string;
  readonly confidence: number | null;
}

export interface EstimateTable {
  readonly round: number;
  readonly n: number;
  readonly topic: string;
  readonly positives: number;
  readonly negatives: number;
  readonly xi_alpha_precision: number | null;
  readonly xi_alpha_recall: number | null;
  readonly held_out_precision: number | null;
  readonly held_out_recall: number | null;
  readonly held_out_method: string;
  readonly held_out_auc: number | null;
  readonly example_rank: number | null;
  readonly features: number;
}

/** Columns in the order in which rows are written. */
export const COLUMNS: Readonly<Record<WrittenTable, readonly string[]>> = {
  journal: ['sequence', 'kind'],
  url: ['id', 'hash', 'url'],
  url_run: ['first', 'last', 'base', 'blocks', 'pieces'],
  url_block: ['id', 'data'],
  page: [
    ...['sequence', 'url', 'final_url', 'redirects', 'host', 'site', 'role', 'title', 'topic', 'others', 'confidence'],
    ...['relevance', 'model', 'via', 'from_url', 'queue', 'depth', 'tunnel_depth', 'priority', 'status'],
    ...['content_type', 'fetched_at', 'bytes', 'address', 'etag', 'last_modified', 'language', 'tokens', 'canonical'],
    ...['noindex', 'nofollow', 'content_hash', 'simhash', 'replaced_by'],
  ],
  page_content: ['page', 'content'],
  page_score: ['page', 'n', 'topic', 'confidence', 'calibrated', 'bayes', 'bayes_calibrated', 'cosine', 'relevance'],
  link: ['page', 'n', 'target', 'anchor', 'flags'],
  alias: ['url_id', 'page', 'reason'],
  visit: [
    ...['sequence', 'url', 'url_id', 'host', 'result', 'reason', 'detail', 'status', 'target', 'page'],
    ...['retried', 'fetched_at'],
    ...['via', 'from_url', 'queue', 'depth', 'tunnel_depth', 'priority'],
  ],
  phase: ['sequence', 'phase', 'reason', 'at'],
  run: ['sequence', 'at', 'settings'],
  steer: ['sequence', 'at', 'command'],
  round: ['sequence', 'model', 'reason', 'undone', 'at'],
  round_data: ['round', 'model_blob', 'details'],
  training: ['round', 'n', 'example', 'title', 'topic', 'origin', 'confidence'],
  estimate: [
    ...['round', 'n', 'topic', 'positives', 'negatives', 'xi_alpha_precision', 'xi_alpha_recall'],
    ...['held_out_precision', 'held_out_recall', 'held_out_method', 'held_out_auc', 'example_rank', 'features'],
  ],
  archetype: ['round', 'n', 'step', 'example', 'topic', 'origin'],
  link_score: ['topic', 'url_id', 'hub', 'authority'],
  authority: ['page', 'topic', 'authority'],
  importance: ['page', 'ib', 'ir', 'il'],
  ending: ['page', 'ending', 'at', 'target'],
  snippet_limit: ['page', 'chars'],
  page_vote: ['page', 'voter', 'topic', 'confidence'],
  link_priority: ['page', 'n', 'ordering', 'priority'],
  page_field: ['page', 'name', 'kind', 'text', 'number'],
  feature_block: ['block', 'data'],
  term_log: ['page', 'stems'],
  term_segment: ['first', 'last', 'pages', 'lengths'],
  term_block: ['segment', 'stem', 'data'],
  pair_log: ['page', 'pairs'],
  pair_block: ['segment', 'pair', 'data'],
  vote_word: ['segment', 'word', 'data'],
  link_segment: ['first', 'last', 'links', 'data'],
  stem_list: ['sequence', 'stems'],
  topic: ['id', 'parent', 'name', 'good', 'place'],
  steer_request: ['id', 'at', 'command'],
  live_status: ['id', 'at', 'status'],
  page_sum: [
    ...['block', 'role', 'via', 'topic', 'others', 'bin', 'live'],
    ...['pages', 'judged', 'confidence', 'rated', 'relevance', 'depth'],
  ],
  host_sum: ['host', 'site', 'pages', 'sitemaps', 'relevant', 'rated', 'relevance'],
  minute_sum: ['minute', 'pages', 'relevant', 'rated', 'relevance'],
  parcel: ['target', 'sequence', 'data'],
  inbox: ['sequence', 'source', 'upto', 'at', 'data'],
  shard_grant: ['shard', 'pages'],
  shard_worker: ['id', 'seen'],
  followed: ['source', 'own', 'place'],
  first_verdict: ['page', 'topic', 'others', 'confidence', 'relevance', 'model'],
  first_topics: ['id', 'names'],
  first_scores: ['page', 'topics', 'scores'],
};

/** Tables that the writer fills. */
export type WrittenTable = Exclude<keyof Tables, 'meta' | 'first_score'>;

/** A value that both drivers accept. */
export type Value = string | number | null | Uint8Array;
export type Row = readonly Value[];

/**
 * Maximum length of each kind of text column, in UTF-16 units. MySQL needs a limit for indexed text (3,072 bytes per
 * key), and its TEXT ends at 65,535 bytes. SQLite uses the same limits, so that both store the same.
 */
export const MAX_CHARS = { word: 64, host: 255, name: 500, text: 16_000, long: 4_000_000 } as const;

/** Links longer than this stay in the packed links of their page, without a row in `link`; no crawl follows them. */
export const MAX_LINK_URL_CHARS = 2_000;
export const MAX_ANCHOR_CHARS = 200;
export const MAX_TITLE_CHARS = 1_000;
