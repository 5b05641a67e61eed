import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, type NewsKind } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import type { WorkspaceLock } from '../../store/index.ts';
import { claimFolder } from '../workspace/claim-folder.ts';
import { replaceFile } from '../workspace/replace-file.ts';

/** Folder of a workspace with what was notified. */
const FOLDER = 'notify';
const STATE_FILE = 'state.json';
const ALARMS_FILE = 'alarms.jsonl';
/** Alarms that no notification has taken are dropped beyond this size. */
const MAX_ALARM_BYTES = 1024 * 1024;

/** Something new. */
export interface NewsItem {
  readonly kind: NewsKind;
  readonly title: string;
  /** `null` for an alarm, or a row of SQL without an address. */
  readonly url: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly topic?: string;
  /** What an alarm or the end of a page means, or the standing query. */
  readonly note?: string;
  /** Changed passages of the main text: `- before`, `+ now`. */
  readonly changes?: readonly string[];
}

/** News that are sent together. */
export interface NewsMessage {
  /** Stays the same if it is sent again. */
  readonly id: string;
  readonly at: string;
  readonly workspace: string;
  /** Numbers of all news by kind; `items` may hold fewer. */
  readonly counts: Readonly<Partial<Record<NewsKind, number>>>;
  readonly items: readonly NewsItem[];
}

/** A channel that has not received a message yet. */
export interface Pending {
  readonly tries: number;
  /** In ms since 1970. */
  readonly nextAt: number;
}

/** A message with the channels that have not received it. */
export interface Outgoing {
  readonly message: NewsMessage;
  readonly to: Readonly<Record<string, Pending>>;
}

/** Until where news were collected. */
export interface NewsCursor {
  /** Last record of the journal. */
  readonly sequence: number;
  /** When the newest reported finding of a standing query was found. */
  readonly foundAt: string;
  /** Bytes read of the file of alarms. */
  readonly alarmBytes: number;
}

/** What was collected and sent. One file, so that a crash between two steps neither loses nor repeats a collection. */
export interface NotifyState {
  readonly version: 1;
  readonly cursor: NewsCursor;
  readonly outgoing: readonly Outgoing[];
  /** Newest items first, for the Atom file. */
  readonly recent: readonly NewsItem[];
}

/**
 * Locks the notifications of a workspace.
 * @throws BingoError `NOTIFYING` if another process sends them
 */
export function claimNotify(dir: string): WorkspaceLock {
  return claimFolder(join(dir, FOLDER), {
    code: 'NOTIFYING',
    message: (holder) => `${holder.replace(/^./, (c) => c.toUpperCase())} sends the notifications of ${dir} now.`,
    hint: 'Try again when it has ended.',
  });
}

/**
 * Reads what was sent; `undefined` before the first time.
 * @throws BingoError `BAD_NOTIFY_STATE` if the file is damaged
 */
export function readNotifyState(dir: string): NotifyState | undefined {
  const path = join(dir, FOLDER, STATE_FILE);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as Partial<NotifyState> | null;
    if (state?.version === 1 && Number.isFinite(state.cursor?.sequence) && Array.isArray(state.outgoing))
      return state as NotifyState;
  } catch {
    // Reported below.
  }
  throw new BingoError({
    code: 'BAD_NOTIFY_STATE',
    message: `${path} is damaged: what was notified is unknown.`,
    hint: 'Remove it. Notifications then begin with what is new from now on.',
  });
}

export function writeNotifyState(dir: string, state: NotifyState): void {
  mkdirSync(join(dir, FOLDER), { recursive: true });
  replaceFile(join(dir, FOLDER, STATE_FILE), `${JSON.stringify(state)}\n`);
}

/** Notes an alarm for the next notification. */
export function noteAlarm(dir: string, message: string, note: string): void {
  const path = join(dir, FOLDER, ALARMS_FILE);
  mkdirSync(join(dir, FOLDER), { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_ALARM_BYTES) rmSync(path);
  const item: NewsItem = { kind: 'alarms', title: message, url: null, at: new Date().toISOString(), note };
  appendFileSync(path, `${safeJson(item)}\n`);
}

/** Returns the alarms noted after a position of their file, each once, and its end. */
export function notedAlarms(dir: string, after: number): { readonly items: readonly NewsItem[]; readonly end: number } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(dir, FOLDER, ALARMS_FILE));
  } catch {
    return { items: [], end: 0 };
  }
  // A line that is being written has no end yet.
  const end = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes
    .subarray(after <= end ? after : 0, end)
    .toString('utf8')
    .split('\n');
  const items = new Map<string, NewsItem>();
  for (const line of lines) {
    if (line === '') continue;
    const item = JSON.parse(line) as NewsItem;
    items.set(`${item.title}\n${item.note}`, item);
  }
  return { items: [...items.values()], end };
}
