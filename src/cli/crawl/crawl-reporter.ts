import type { CrawlEvent, CrawlStatus, PageRecord, PhaseRecord } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import { type Paint, paint, rowOfRecord, sanitizeForTerminal } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { wantsColour } from '../process-io.ts';
import { tellNowAndThen } from '../tell-now-and-then.ts';
import { drawView, EMPTY_VIEW, foldEvent, progressLine, readingLine, remarksOf, type ViewState } from './crawl-view.ts';

/** Tells a person or a program how a crawl goes. */
export interface CrawlReporter {
  readonly onEvent: (event: CrawlEvent) => void;
  /** Shows the numbers of this moment; called a few times a second. */
  readonly tick: (status: CrawlStatus) => void;
  /** Writes a line for the person, above the live view if there is one. */
  readonly say: (line: string) => void;
  /** Ends the view, leaving its last state, if there is one. Resolves when everything is written. */
  readonly close: (status: CrawlStatus | undefined) => Promise<void>;
}

/** Says nothing. */
export const SILENT: CrawlReporter = { onEvent: () => {}, tick: () => {}, say: () => {}, close: async () => {} };

/** Least time between two progress lines. */
const LINE_MS = 2000;
/** The same while documents are read: before them nothing was told. */
const DOCUMENTS_MS = 1000;

/** The reporter that fits: JSON lines, a live view on a terminal, else plain lines. */
export function makeReporter(
  io: Io,
  json: boolean,
  { plain = false, details = false }: ReportStyle = {},
): CrawlReporter {
  if (json) return jsonReporter(io, details);
  if (plain || readsScreenAloud(io)) return lineReporter(io, details);
  return io.stderrIsTerminal && io.env.TERM !== 'dumb' ? liveReporter(io, details) : lineReporter(io, details);
}

/** How a crawl is reported to a person. */
export interface ReportStyle {
  /** Plain lines, also on a terminal. Default: false. */
  readonly plain?: boolean;
  /** Inner workings too, such as rounds that were rolled back. Default: false. */
  readonly details?: boolean;
}

/** True when the person told ink, and so us, that a screen reader speaks what is printed. */
export function readsScreenAloud(io: Io): boolean {
  return io.env.INK_SCREEN_READER === 'true';
}

/**
 * One JSON object a line on stdout for every page, phase change and alarm. A line is written when its record is durable:
 * what a program has read here survives anything. An alarm comes with the record that gave rise to it, at once when that is written;
 * that the store takes nothing is told before all that waits for it.
 */
function jsonReporter(io: Io, withDetails: boolean): CrawlReporter {
  const waiting: { readonly sequence: number; readonly line: string }[] = [];
  let written = Promise.resolve();
  const tellDocuments = documentsTeller(io);
  let sequence = 0;
  let stored = 0;
  const flush = (): void => {
    let lines = '';
    while (waiting[0] !== undefined && waiting[0].sequence <= stored) lines += waiting.shift()!.line;
    if (lines !== '') written = io.out(lines);
  };
  return {
    onEvent: (event) => {
      if ('record' in event) sequence = event.record.sequence;
      if (event.kind === 'page' || event.kind === 'phase') waiting.push({ sequence, line: jsonLine(event.record) });
      if (event.kind === 'stored') stored = event.sequence;
      if (event.kind === 'alarm') {
        const line = `${safeJson({ ...event, sequence })}\n`;
        if (event.code === 'store-waits') written = io.out(line);
        else waiting.push({ sequence, line });
        tell(io, event, withDetails);
      }
      if (event.kind === 'settings') {
        waiting.push({ sequence, line: `${safeJson(event)}\n` });
        tell(io, event, withDetails);
      }
      if (event.kind === 'stored' || event.kind === 'alarm') flush();
      tellDocuments(event);
    },
    tick: () => {},
    say: (line) => io.err(`${line}\n`),
    close: () => written,
  };
}

function jsonLine(record: PageRecord | PhaseRecord): string {
  if (record.kind === 'page') return `${safeJson({ kind: 'page', ...rowOfRecord(record) })}\n`;
  const { phase, reason, sequence, at } = record;
  return `${safeJson({ kind: 'phase', phase, reason, sequence, at: new Date(at).toISOString() })}\n`;
}

/** False when there is nothing to tell of it. */
function tell(io: Io, event: CrawlEvent, withDetails: boolean): boolean {
  const remarks = remarksOf(event, withDetails);
  for (const remark of remarks) io.err(`${sanitizeForTerminal(remark)}\n`);
  return remarks.length > 0;
}

/** Tells how far reading documents is, in lines: no view is drawn before they are read. */
function documentsTeller(io: Io): (event: CrawlEvent) => void {
  const tell = tellNowAndThen(io, undefined, DOCUMENTS_MS);
  return (event) => {
    if (event.kind === 'documents') tell(readingLine(event));
  };
}

/** Plain lines: remarks as they come, progress every other second. For logs, pipes and screen readers. */
export function lineReporter(io: Io, withDetails = false): CrawlReporter {
  let last = 0;
  let lastLine = '';
  const tellReading = tellNowAndThen(io, undefined, LINE_MS);
  const tellDocuments = documentsTeller(io);
  const progress = (status: CrawlStatus): void => {
    const line = progressLine(status);
    if (line !== lastLine) io.err(`${line}\n`);
    lastLine = line;
  };
  return {
    onEvent: (event) => {
      if (!tell(io, event, withDetails) && event.kind === 'resuming') tellReading(readingLine(event));
      tellDocuments(event);
    },
    tick: (status) => {
      if (status.elapsedMs - last < LINE_MS) return;
      last = status.elapsedMs;
      progress(status);
    },
    say: (line) => io.err(`${line}\n`),
    close: async (status) => {
      if (status !== undefined) progress(status);
    },
  };
}

function liveReporter(io: Io, withDetails: boolean): CrawlReporter {
  const style = paint(wantsColour(io, true));
  const tellDocuments = documentsTeller(io);
  let state: ViewState = EMPTY_VIEW;
  let height = 0;
  const erase = (): string => (height === 0 ? '' : `\x1b[${height}A\r\x1b[J`);
  const draw = (status: CrawlStatus): void => {
    const lines = frame(state, status, io, style);
    io.err(`${erase()}${lines.join('\n')}\n`);
    height = lines.length;
  };
  return {
    onEvent: (event) => {
      state = foldEvent(state, event, withDetails);
      tellDocuments(event);
    },
    tick: draw,
    say: (line) => {
      io.err(`${erase()}${line}\n`);
      height = 0;
    },
    close: async (status) => {
      if (status !== undefined) draw(status);
    },
  };
}

/** The view cut to the terminal: what is higher than the screen could not be erased again. */
function frame(state: ViewState, status: CrawlStatus, io: Io, style: Paint): string[] {
  const { columns, rows } = io.screen();
  return drawView(state, status, Math.max(20, columns - 1), style).slice(0, Math.max(3, rows - 1));
}
