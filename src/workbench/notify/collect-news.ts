import { createHash } from 'node:crypto';
import type { NewsKind } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import { shortTitle } from '../../postprocess/index.ts';
import type { NewsRow, Store, StoredNews } from '../../store/index.ts';
import { standingQueries } from '../standing/standing-queries.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import { type NewsCursor, type NewsItem, type NewsMessage, notedAlarms } from './notify-state.ts';
import { textChanges } from './text-changes.ts';

/** Items of one kind in a message; the counts say how many there are. */
const SHOWN = 100;

/** News since a cursor, and the cursor behind them. `message` is `undefined` if nothing happened. */
export interface Collected {
  readonly message: NewsMessage | undefined;
  readonly cursor: NewsCursor;
}

/** Returns the present end of all sources of news: what comes later is new. */
export async function newsEnd(store: Store | undefined, { dir }: Pick<Workspace, 'dir'>): Promise<NewsCursor> {
  return {
    sequence: (await store?.count()) ?? 0,
    foundAt: lastFound(dir, ''),
    alarmBytes: notedAlarms(dir, 0).end,
  };
}

/** Collects what is new since a cursor. Reads the store alone. */
export async function collectNews(store: Store, workspace: Workspace, since: NewsCursor): Promise<Collected> {
  const { dir, config } = workspace;
  const until = await store.count();
  const stored = await store.news(since.sequence, until);
  const alarms = notedAlarms(dir, since.alarmBytes);
  const found: Readonly<Record<NewsKind, readonly NewsItem[]>> = {
    new: stored.found.map((row) => pageItem('new', row)),
    changed: await changedItems(store, stored.changed),
    gone: stored.gone.map((row) => ({ ...pageItem('gone', row), note: WHY[row.why] })),
    queries: findings(dir, since.foundAt),
    alarms: alarms.items,
  };
  const wanted = config.notify.about.filter((kind) => found[kind].length > 0);
  const cursor = { sequence: until, foundAt: lastFound(dir, since.foundAt), alarmBytes: alarms.end };
  if (wanted.length === 0) return { message: undefined, cursor };
  const items = wanted.flatMap((kind) => found[kind].slice(0, SHOWN));
  const counts = Object.fromEntries(wanted.map((kind) => [kind, found[kind].length]));
  const title = workspaceTitle(workspace);
  const at = new Date().toISOString();
  const id = createHash('sha256').update(`${dir}\n${at}\n${until}`).digest('hex').slice(0, 32);
  return { message: { id, at, workspace: title, counts, items }, cursor };
}

/** The first changed pages with the passages that changed. */
async function changedItems(store: Store, rows: StoredNews['changed']): Promise<readonly NewsItem[]> {
  const texts = await store.texts(rows.slice(0, SHOWN).flatMap(({ sequence, before }) => [sequence, before]));
  return rows.map((row, i) => {
    const item = pageItem('changed', row);
    if (i >= SHOWN) return item;
    return { ...item, changes: textChanges(texts.get(row.before) ?? '', texts.get(row.sequence) ?? '') };
  });
}

const WHY: { readonly [K in StoredNews['gone'][number]['why']]: string } = {
  gone: 'The page no longer exists.',
  moved: 'It moved to another stored page.',
  same: 'It now has the content of another page.',
  noindex: 'It asks not to be listed.',
  topic: 'Its new version is not on the topic.',
};

function pageItem(kind: NewsKind, { title, url, topic, at }: NewsRow): NewsItem {
  return { kind, title: shortTitle(title), url, topic, at: new Date(at).toISOString() };
}

function findings(dir: string, after: string): readonly NewsItem[] {
  return standingQueries(dir).flatMap(({ query, news }) =>
    news
      .filter(({ foundAt }) => foundAt > after)
      .map(({ title, url, foundAt }) => ({
        ...{ kind: 'queries' as const, title: shortTitle(title), url, at: foundAt },
        note: sanitizeText(query),
      })),
  );
}

function lastFound(dir: string, before: string): string {
  const times = standingQueries(dir).flatMap(({ news }) => news.map(({ foundAt }) => foundAt));
  return times.reduce((last, at) => (at > last ? at : last), before);
}
