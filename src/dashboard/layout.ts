/** How many rows each part of the overview gets. */
export interface Layout {
  readonly columns: number;
  /** 0: there is no room for the plot. */
  readonly plotRows: number;
  readonly topicRows: number;
  readonly pageRows: number;
  /** Columns of the hosts beside the pages; 0: only their numbers are shown. */
  readonly hostColumns: number;
  /** Rows between the lines at the top and those at the foot. */
  readonly bodyRows: number;
}

/** A terminal's window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Below this nothing sensible can be shown. */
export const SMALLEST: Size = { columns: 40, rows: 12 };

/** Lines that are always there: three at the top, three at the foot, one left free so that the terminal never scrolls. */
const FRAME_ROWS = 7;
/** Titles of topics and pages. */
const TITLE_ROWS = 2;
/** Title of the plot and its axis. */
const PLOT_FRAME_ROWS = 2;
const MIN_ROWS_WITH_PLOT = 20;
const MAX_PLOT_ROWS = 12;
const HOSTS_FROM_COLUMNS = 110;

/** The window that keys are about: in one that is too small nothing is shown, and they do what they would in the smallest. */
export function atLeastSmallest({ columns, rows }: Size): Size {
  return { columns: Math.max(SMALLEST.columns, columns), rows: Math.max(SMALLEST.rows, rows) };
}

/** Rows between the lines at the top and those at the foot. */
export function bodyRowsOf(rows: number): number {
  return rows - FRAME_ROWS;
}

/** Shares a terminal's rows out; `undefined` when it is too small. */
export function layoutOf(columns: number, rows: number, topics: number): Layout | undefined {
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return undefined;
  const bodyRows = bodyRowsOf(rows);
  const hasPlot = rows >= MIN_ROWS_WITH_PLOT;
  const flexible = bodyRows - TITLE_ROWS - (hasPlot ? PLOT_FRAME_ROWS : 0);
  const plotRows = hasPlot ? Math.min(MAX_PLOT_ROWS, Math.max(3, Math.floor(flexible * 0.35))) : 0;
  const topicRows = Math.max(1, Math.min(topics, Math.floor(flexible * 0.3)));
  const hostColumns = columns >= HOSTS_FROM_COLUMNS ? Math.floor(columns * 0.35) : 0;
  return { columns, plotRows, topicRows, pageRows: flexible - plotRows - topicRows, hostColumns, bodyRows };
}

/** How many rows each part of a review gets, titles left out. */
export interface ReviewLayout {
  readonly listRows: number;
  /** Of the selected page's text. */
  readonly textRows: number;
  /** Of what stands in place of the page. */
  readonly panelRows: number;
}

/** Header, effect, title of the list, title of the text, two lines about the page, two at the foot. */
const REVIEW_FRAME_ROWS = 8;
const LIST_SHARE = 0.4;

/** Shares a terminal's rows out among the parts of a review. */
export function reviewLayoutOf(rows: number): ReviewLayout {
  const free = rows - 1 - REVIEW_FRAME_ROWS;
  const listRows = Math.max(2, Math.floor(free * LIST_SHARE));
  return { listRows, textRows: free - listRows, panelRows: free - listRows + 2 };
}
