/**
 * The tables, as Kysely and the writer know them. `docs/schema.md` explains every column; `migrations.ts` makes them.
 * Text is well-formed, without NUL, and truncated to {@link MAX_CHARS}; a real number that is not finite is null.
 */
export interface Tables {
  meta: { name: string; value: string };
  journal: { sequence: number; kind: string };
  url: { id: number; hash: number; url: string };
  page: PageTable;
  page_content: { page: number; content: Uint8Array };
  page_score: PageScoreTable;
  link: { page: number; n: number; target: number; anchor: string; flags: number };
  alias: { url_id: number; page: number; reason: string };
  visit: VisitTable;
  phase: { sequence: number; phase: string; reason: string; at: number };
  run: { sequence: number; at: number; settings: string };
  steer: { sequence: number; at: number; command: string };
  round: { sequence: number; model: number; reason: string; undone: number; at: number };
  round_data: { round: number; model_blob: Uint8Array; details: Uint8Array };
  training: TrainingTable;
  estimate: EstimateTable;
  archetype: { round: number; n: number; step: string; example: string; topic: string; origin: string };
  link_score: { topic: string; url_id: number; hub: number; authority: number };
  authority: { page: number; topic: string; authority: number };
  ending: { page: number; ending: string; at: number; target: string };
  snippet_limit: { page: number; chars: number };
  page_field: { page: number; name: string; kind: string; text: string; number: number | null };
  term_log: { page: number; stems: Uint8Array };
  term_segment: { first: number; last: number; pages: number; lengths: Uint8Array };
  term_block: { segment: number; stem: number; data: Uint8Array };
  pair_log: { page: number; pairs: Uint8Array };
  pair_block: { segment: number; pair: number; data: Uint8Array };
  stem_list: { sequence: number; stems: Uint8Array };
  topic: { id: string; parent: string | null; name: string; good: number; place: number };
  steer_request: { id: number; at: number; command: string };
  live_status: { id: number; at: number; status: string };
  first_verdict: FirstVerdictTable;
  first_score: PageScoreTable;
}

/** First verdict of the crawl on a page, if it was changed since. */
export interface FirstVerdictTable {
  page: number;
  topic: string;
  others: number;
  confidence: number | null;
  relevance: number | null;
  model: number;
}

/** How a URL was found: columns shared by `page` and `visit`. */
interface OriginColumns {
  via: string;
  from_url: string;
  queue: string;
  depth: number;
  tunnel_depth: number;
  priority: number | null;
}

export interface PageTable extends OriginColumns {
  sequence: number;
  url: string;
  final_url: string;
  redirects: string;
  host: string;
  site: string;
  role: string;
  title: string;
  topic: string;
  others: number;
  confidence: number | null;
  relevance: number | null;
  model: number;
  status: number;
  content_type: string;
  fetched_at: number;
  bytes: number;
  address: string;
  etag: string;
  last_modified: string;
  language: string;
  tokens: number;
  canonical: string;
  noindex: number;
  nofollow: number;
  content_hash: string;
  simhash: string;
  replaced_by: number | null;
}

export interface VisitTable extends OriginColumns {
  sequence: number;
  url: string;
  url_id: number;
  host: string;
  result: string;
  reason: string;
  detail: string;
  status: number;
  target: string;
  page: number;
  retried: number;
  fetched_at: number;
}

export interface PageScoreTable {
  page: number;
  n: number;
  topic: string;
  confidence: number | null;
  calibrated: number | null;
  bayes: number | null;
  bayes_calibrated: number | null;
  cosine: number | null;
  relevance: number | null;
}

export interface TrainingTable {
  round: number;
  n: number;
  example: string;
  title: string;
  topic: string;
  origin: string;
  confidence: number | null;
}

export interface EstimateTable {
  round: number;
  n: number;
  topic: string;
  positives: number;
  negatives: number;
  xi_alpha_precision: number | null;
  xi_alpha_recall: number | null;
  held_out_precision: number | null;
  held_out_recall: number | null;
  held_out_method: string;
  held_out_auc: number | null;
  example_rank: number | null;
  features: number;
}

/** Columns in the order in which rows are written. */
export const COLUMNS: Readonly<Record<WrittenTable, readonly string[]>> = {
  journal: ['sequence', 'kind'],
  url: ['id', 'hash', 'url'],
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
  ending: ['page', 'ending', 'at', 'target'],
  snippet_limit: ['page', 'chars'],
  page_field: ['page', 'name', 'kind', 'text', 'number'],
  term_log: ['page', 'stems'],
  term_segment: ['first', 'last', 'pages', 'lengths'],
  term_block: ['segment', 'stem', 'data'],
  pair_log: ['page', 'pairs'],
  pair_block: ['segment', 'pair', 'data'],
  stem_list: ['sequence', 'stems'],
  topic: ['id', 'parent', 'name', 'good', 'place'],
  steer_request: ['id', 'at', 'command'],
  live_status: ['id', 'at', 'status'],
  first_verdict: ['page', 'topic', 'others', 'confidence', 'relevance', 'model'],
  first_score: ['page', 'n', 'topic', 'confidence', 'calibrated', 'bayes', 'bayes_calibrated', 'cosine', 'relevance'],
};

/** Tables that the writer fills. */
export type WrittenTable = Exclude<keyof Tables, 'meta'>;

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
