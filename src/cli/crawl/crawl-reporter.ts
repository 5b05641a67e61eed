import type { CrawlEvent, CrawlStatus, PageRecord, PhaseRecord } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import { type Paint, paint, rowOfRecord, sanitizeForTerminal } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { wantsColour } from '../process-io.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { drawView, EMPTY_VIEW, foldEvent, progressLine, readingLine, remarksOf, type ViewState } from './crawl-view.ts';

/** Reports the progress of a crawl to the user or a program. */
export interface CrawlReporter {
  readonly onEvent: (event: CrawlEvent) => void;
  /** Shows the current figures; called a few times a second. */
  readonly tick: (status: CrawlStatus) => void;
  /** Writes a line for the user, above the live view if there is one. */
  readonly say: (line: string) => void;
  /** True if the user may be asked in lines on this terminal now. */
  readonly mayAsk?: () => boolean;
  /** Ends the live view, if any, and leaves its last state on screen. Resolves once everything is written. */
  readonly close: (status: CrawlStatus | undefined) => Promise<void>;
}

/** Reports nothing. */
export const SILENT: CrawlReporter = { onEvent: () => {}, tick: () => {}, say: () => {}, close: async () => {} };

/** Minimum interval between two progress lines. */
const LINE_MS = 2000;
/** Interval while documents are read, which is the first thing reported. */
const DOCUMENTS_MS = 1000;

/** Returns the right reporter: JSON lines, a live view on a terminal, or plain lines. */
export function makeReporter(
  io: Io,
  json: boolean,
  { plain = false, details = false }: ReportStyle = {},
): CrawlReporter {
  if (json) return jsonReporter(io, details);
  if (plain || readsScreenAloud(io)) return lineReporter(io, details);
  return io.stderrIsTerminal && io.env.TERM !== 'dumb' ? liveReporter(io, details) : lineReporter(io, details);
}

/** Style of the report for users. */
export interface ReportStyle {
  /** Plain lines, also on a terminal. Default: false. */
  readonly plain?: boolean;
  /** Includes details such as rolled-back rounds. Default: false. */
  readonly details?: boolean;
}

/** Whether the user has set ink's variable for screen readers. */
export function readsScreenAloud(io: Io): boolean {
  return io.env.INK_SCREEN_READER === 'true';
}

/**
 * Writes one JSON object per line to stdout for every page, phase change and alarm. Each line is written once its
 * record is durable: what a program has read here survives a crash. An alarm is written with the record that caused
 * it, or at once if that is already stored. An alarm about a store that accepts no writes is written before the lines
 * that wait for the store.
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

/** Prints an event; returns false if the event has no output. */
function tell(io: Io, event: CrawlEvent, withDetails: boolean): boolean {
  const remarks = remarksOf(event, withDetails);
  for (const remark of remarks) io.err(`${sanitizeForTerminal(remark)}\n`);
  return remarks.length > 0;
}

/** Prints the progress of reading documents as lines: the live view starts only afterwards. */
function documentsTeller(io: Io): (event: CrawlEvent) => void {
  const tell = tellNowAndThen(io, undefined, DOCUMENTS_MS);
  return (event) => {
    if (event.kind === 'documents') tell(readingLine(event));
  };
}

/** Plain lines: remarks as they occur, progress every two seconds. For logs, pipes and screen readers. */
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
    mayAsk: () => io.stdinIsTerminal && io.stderrIsTerminal,
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

/** Truncates the view to the terminal: lines above the screen could not be erased. */
function frame(state: ViewState, status: CrawlStatus, io: Io, style: Paint): string[] {
  const { columns, rows } = io.screen();
  return drawView(state, status, Math.max(20, columns - 1), style).slice(0, Math.max(3, rows - 1));
}
