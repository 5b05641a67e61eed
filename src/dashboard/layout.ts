/** Number of rows of each part of the overview. */
export interface Layout {
  readonly columns: number;
  /** 0: no room for the plot. */
  readonly plotRows: number;
  readonly topicRows: number;
  readonly pageRows: number;
  /** Columns of the speed and of the distribution beside the harvest; 0: no room. */
  readonly speedColumns: number;
  readonly barColumns: number;
  /** Columns beside the list, for next links and hosts; 0: their keys show them. */
  readonly sideColumns: number;
  /** Rows of the next links there, without their title; the hosts have the others. */
  readonly sideNextRows: number;
  /** Rows between the lines at the top and those at the bottom. */
  readonly bodyRows: number;
}

/** Size of a terminal's window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Minimum size for a usable screen. */
export const SMALLEST: Size = { columns: 40, rows: 12 };

/** Lines at the top. */
export const HEADER_ROWS = 3;
/** Fixed lines: three at the top, three at the bottom, one left free so that the terminal never scrolls. */
const FRAME_ROWS = 7;
/** Titles of topics and pages. */
const TITLE_ROWS = 2;
/** Title of the plot and its axis. */
const PLOT_FRAME_ROWS = 2;
const MIN_ROWS_WITH_PLOT = 20;
const MAX_PLOT_ROWS = 12;
const BARS_FROM_COLUMNS = 70;
/** Two columns for each tenth of relevance. */
const BAR_COLUMNS = 22;
const SPEED_SHARE = 0.25;
const MIN_SPEED_COLUMNS = 22;
const SIDE_FROM_COLUMNS = 110;
const SIDE_SHARE = 0.4;
const NEXT_FROM_ROWS = 10;

/** Returns the window size for keys: a window that is too small shows nothing, and keys act as in the smallest. */
export function atLeastSmallest({ columns, rows }: Size): Size {
  return { columns: Math.max(SMALLEST.columns, columns), rows: Math.max(SMALLEST.rows, rows) };
}

/** Returns the number of rows between the lines at the top and those at the bottom. */
export function bodyRowsOf(rows: number): number {
  return rows - FRAME_ROWS;
}

/** Distributes a terminal's rows; `undefined` if it is too small. */
export function layoutOf(columns: number, rows: number, topics: number): Layout | undefined {
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return undefined;
  const bodyRows = bodyRowsOf(rows);
  const hasPlot = rows >= MIN_ROWS_WITH_PLOT;
  const flexible = bodyRows - TITLE_ROWS - (hasPlot ? PLOT_FRAME_ROWS : 0);
  const plotRows = hasPlot ? Math.min(MAX_PLOT_ROWS, Math.max(3, Math.floor(flexible * 0.35))) : 0;
  const topicRows = Math.max(1, Math.min(topics, Math.floor(flexible * 0.3)));
  const pageRows = flexible - plotRows - topicRows;
  const hasBars = columns >= BARS_FROM_COLUMNS;
  return {
    ...{ columns, plotRows, topicRows, pageRows, bodyRows },
    speedColumns: hasBars ? Math.max(MIN_SPEED_COLUMNS, Math.floor(columns * SPEED_SHARE)) : 0,
    barColumns: hasBars ? BAR_COLUMNS : 0,
    sideColumns: columns >= SIDE_FROM_COLUMNS ? Math.floor(columns * SIDE_SHARE) : 0,
    // Half of the rows; a title is between the two.
    sideNextRows: pageRows >= NEXT_FROM_ROWS ? Math.floor(pageRows / 2) : 0,
  };
}

/** Number of rows of each part of a review, without titles. */
export interface ReviewLayout {
  readonly listRows: number;
  /** Rows of the selected page's text. */
  readonly textRows: number;
  /** Rows of a panel that replaces the page. */
  readonly panelRows: number;
}

/** Header, effect, title of the list, title of the text, two lines about the page, two at the bottom. */
const REVIEW_FRAME_ROWS = 8;
const LIST_SHARE = 0.4;

/** Distributes a terminal's rows among the parts of a review. */
export function reviewLayoutOf(rows: number): ReviewLayout {
  const free = rows - 1 - REVIEW_FRAME_ROWS;
  const listRows = Math.max(2, Math.floor(free * LIST_SHARE));
  return { listRows, textRows: free - listRows, panelRows: free - listRows + 2 };
}
