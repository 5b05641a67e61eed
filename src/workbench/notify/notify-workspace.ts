import { randomUUID } from 'node:crypto';
import { BingoError, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { readingStore } from '../reading/reading.ts';
import { quoted } from '../words/shell-words.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import { type Channel, channelsOf } from './channels.ts';
import { collectNews, newsEnd } from './collect-news.ts';
import {
  claimNotify,
  type NewsMessage,
  type NotifyState,
  noteAlarm,
  type Outgoing,
  readNotifyState,
  writeNotifyState,
} from './notify-state.ts';

/** What became of the messages of one channel. */
export interface Delivery {
  readonly channel: string;
  readonly sent: number;
  /** Messages that wait for the next try. */
  readonly waiting: number;
  /** Messages given up after the last try. */
  readonly dropped: number;
  /** Why the last message was not taken. */
  readonly problem?: string;
}

/** The outcome of {@link notifyWorkspace}. */
export interface Notified {
  /** What was collected now; `undefined` if nothing is new. */
  readonly message: NewsMessage | undefined;
  /** True the first time: only later news are reported. */
  readonly isFirst: boolean;
  readonly deliveries: readonly Delivery[];
}

/** After this many tries, a message is dropped for a channel: about two days. */
const MAX_TRIES = 14;
const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 6 * 3_600_000;
/** Messages that wait; beyond it the oldest are dropped. */
const MAX_OUTGOING = 50;
/** Items of the Atom file. */
const MAX_RECENT = 100;

/** Whether bingo.yaml names a channel. */
export function isNotifying({ config }: Pick<Workspace, 'config'>): boolean {
  const { atom, webhooks, mailTo } = config.notify;
  return atom !== '' || webhooks.length > 0 || mailTo.length > 0;
}

/** Remembers that what the workspace has now is not new. Does nothing if that was done before, or no channel is named. */
export async function beginNotifying(store: Store | undefined, workspace: Workspace): Promise<void> {
  if (!isNotifying(workspace) || readNotifyState(workspace.dir) !== undefined) return;
  writeNotifyState(workspace.dir, await firstState(store, workspace));
}

/** Notes an alarm of a crawl or a schedule for the next notification. */
export function noteForNotice(workspace: Workspace, message: string, note: string): void {
  if (isNotifying(workspace) && workspace.config.notify.about.includes('alarms'))
    noteAlarm(workspace.dir, message, note);
}

/** Returns when a message that was not taken is due again, in ms since 1970; `undefined` if none waits. */
export function retryAt(dir: string): number | undefined {
  const times = (readNotifyState(dir)?.outgoing ?? []).flatMap(({ to }) =>
    Object.values(to).map(({ nextAt }) => nextAt),
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** How notifications are sent. */
export interface NotifyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns what would be sent, and sends and keeps nothing. */
  readonly dryRun?: boolean;
  readonly now?: () => number;
}

/**
 * Collects what is new in a workspace, and sends it on every channel, with what was not taken before. What is collected is kept
 * before it is sent: a message is lost on no channel, and one that is sent twice after a crash has the same id.
 * @throws UsageError if bingo.yaml names no channel
 */
export async function notifyWorkspace(workspace: Workspace, options: NotifyOptions): Promise<Notified> {
  const { dir } = workspace;
  const channels = requireChannels(workspace, options.env);
  if (options.dryRun === true) {
    const before = readNotifyState(dir);
    const collected =
      before && (await readingStore(workspace, (store) => collectNews(store, workspace, before.cursor)));
    return { message: collected?.message, isFirst: before === undefined, deliveries: [] };
  }
  const lock = claimNotify(dir);
  try {
    const before = readNotifyState(dir);
    const { state, message } = await collected(workspace, channels, before);
    writeNotifyState(dir, state);
    const deliveries = await deliver(workspace, { channels, state, now: options.now ?? Date.now });
    return { message, isFirst: before === undefined, deliveries };
  } finally {
    lock.release();
  }
}

/** Sends a test message on every channel; keeps nothing. The Atom file lists it until the next news. */
export async function testChannels(workspace: Workspace, { env }: NotifyOptions): Promise<readonly Delivery[]> {
  const at = new Date().toISOString();
  const items = [{ kind: 'alarms' as const, title: 'This is a test.', url: null, at, note: 'Notifications arrive.' }];
  const message = {
    id: randomUUID().replaceAll('-', ''),
    at,
    workspace: workspaceTitle(workspace),
    counts: { alarms: 1 },
    items,
  };
  return await Promise.all(
    requireChannels(workspace, env).map(async ({ name, send }) => {
      const problem = await problemOf(() => send(message, items));
      return {
        channel: name,
        sent: problem === undefined ? 1 : 0,
        waiting: 0,
        dropped: 0,
        ...(problem && { problem }),
      };
    }),
  );
}

function requireChannels(workspace: Workspace, env: NotifyOptions['env']): readonly Channel[] {
  const channels = channelsOf(workspace, env);
  if (channels.length > 0) return channels;
  const dir = quoted(workspace.dir);
  throw new UsageError(
    'bingo.yaml names no channel for notifications.',
    `For example: bingo settings set ${dir} notify.atom news.xml\nOr: bingo settings set ${dir} notify.webhooks https://hooks.example/bingo`,
  );
}

async function firstState(store: Store | undefined, workspace: Workspace): Promise<NotifyState> {
  return { version: 1, cursor: await newsEnd(store, workspace), outgoing: [], recent: [] };
}

/** Returns the state with what is new as a further message. */
async function collected(
  workspace: Workspace,
  channels: readonly Channel[],
  before: NotifyState | undefined,
): Promise<{ readonly state: NotifyState; readonly message: NewsMessage | undefined }> {
  const read = async (store: Store | undefined) => {
    if (before === undefined) return { state: await firstState(store, workspace), message: undefined };
    if (store === undefined) return { state: before, message: undefined };
    const { message, cursor } = await collectNews(store, workspace, before.cursor);
    const to = Object.fromEntries(channels.map(({ name }) => [name, { tries: 0, nextAt: 0 }]));
    const outgoing = message === undefined ? before.outgoing : [...before.outgoing, { message, to }];
    const recent = [...(message?.items ?? []).toSorted((a, b) => (a.at < b.at ? 1 : -1)), ...before.recent];
    const state = { ...before, cursor, outgoing: outgoing.slice(-MAX_OUTGOING), recent: recent.slice(0, MAX_RECENT) };
    return { state, message };
  };
  try {
    return await readingStore(workspace, read);
  } catch (error) {
    if (error instanceof BingoError && error.code === 'STORE_MISSING') return await read(undefined);
    throw error;
  }
}

interface Delivering {
  readonly channels: readonly Channel[];
  readonly state: NotifyState;
  readonly now: () => number;
}

/** Sends what waits, oldest first. After each message the file says who has it. */
async function deliver({ dir }: Workspace, { channels, state: begun, now }: Delivering): Promise<readonly Delivery[]> {
  let state = begun;
  const results = new Map(
    channels.map(({ name }) => [name, { sent: 0, dropped: 0, problem: undefined as string | undefined }]),
  );
  for (const { message } of begun.outgoing) {
    for (const { name, send } of channels) {
      const pending = state.outgoing.find((one) => one.message.id === message.id)?.to[name];
      const result = results.get(name)!;
      // A channel that did not take a message is not asked for the next one.
      if (pending === undefined || result.problem !== undefined) continue;
      const problem = await problemOf(() => send(message, state.recent));
      const tries = pending.tries + 1;
      const isOver = problem === undefined || tries >= MAX_TRIES;
      if (problem === undefined) result.sent++;
      else if (isOver) result.dropped++;
      result.problem = problem;
      const nextAt = now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
      state = {
        ...state,
        outgoing: withPending(state.outgoing, { id: message.id, name, next: isOver ? undefined : { tries, nextAt } }),
      };
      writeNotifyState(dir, state);
    }
  }
  // A channel that bingo.yaml no longer names receives nothing.
  const names = new Set(channels.map(({ name }) => name));
  const outgoing = state.outgoing.flatMap(({ message, to }) => {
    const left = Object.entries(to).filter(([name]) => names.has(name));
    return left.length === 0 ? [] : [{ message, to: Object.fromEntries(left) }];
  });
  writeNotifyState(dir, { ...state, outgoing });
  return channels.map(({ name }) => {
    const { sent, dropped, problem } = results.get(name)!;
    const waiting = outgoing.filter(({ to }) => to[name] !== undefined).length;
    return { channel: name, sent, waiting, dropped, ...(problem !== undefined && { problem }) };
  });
}

function withPending(
  outgoing: readonly Outgoing[],
  { id, name, next }: { readonly id: string; readonly name: string; readonly next: Outgoing['to'][string] | undefined },
): readonly Outgoing[] {
  return outgoing.map((one) => {
    if (one.message.id !== id) return one;
    const { [name]: _, ...others } = one.to;
    return { ...one, to: next === undefined ? others : { ...others, [name]: next } };
  });
}

/** Returns why an action failed; `undefined` if it did not. */
async function problemOf(action: () => Promise<void>): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n', 1)[0]! : String(error);
  }
}
