import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BingoError, canonicalize, goodTopics, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { MAX_SOURCES, parseBacklinks, readBacklinksFile } from '../workspace/backlinks.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { askBacklinks } from './search-service.ts';

/** What is asked of a backlink service. */
export interface BacklinkRequest {
  /** http(s) address of the service; `{url}` in it becomes the address of a page. */
  readonly service: string;
  /** Maximum number of requests. > 0 */
  readonly limit: number;
  /** Pause between two requests in ms. Default: `network.delayMs`. */
  readonly delayMs?: number | undefined;
}

/** What asking a backlink service gave. */
export interface FoundBacklinks {
  /** File that holds the links, relative to the workspace. */
  readonly file: string;
  /** Pages that the service answered for. */
  readonly asked: number;
  /** Links added to the file. */
  readonly links: number;
  /** Pages that remain to be asked about. */
  readonly left: number;
  /** Pages without an answer, and why; they are asked about again next time. */
  readonly failures: readonly { readonly url: string; readonly message: string }[];
}

const USUAL_FILE = 'backlinks.tsv';
/** Begins a line that names a page for which the service has answered. */
const ASKED = '# asked: ';
/** Failures in a row after which the service is left alone. */
const MOST_FAILURES = 3;

/**
 * Asks a service which pages link to the examples and relevant pages of a workspace, best first, one at a time. Adds
 * the answers to the file of `crawl.backlinks`, after each request, so that no page is asked about twice.
 * @throws UsageError if the address is wrong
 * @throws BingoError if no page was answered for
 */
export async function findBacklinks(
  { store, workspace }: { readonly store: Store; readonly workspace: Workspace },
  { service, limit, delayMs = workspace.config.network.delayMs }: BacklinkRequest,
): Promise<FoundBacklinks> {
  checkAddress(service);
  const { dir, config } = workspace;
  const { network } = config;
  const file = config.crawl.backlinks || USUAL_FILE;
  const before = readBacklinksFile(dir, file) ?? '';
  parseBacklinks(before, file);
  const pages = await pagesToAsk(store, workspace, askedIn(before));
  const userAgent = network.contact === '' ? network.userAgent : `${network.userAgent} (${network.contact})`;
  const failures: { url: string; message: string; cause: BingoError }[] = [];
  let [asked, links, inARow] = [0, 0, 0];
  const add = appender(resolve(dir, file), before);
  for (const [i, url] of pages.slice(0, limit).entries()) {
    if (i > 0) await setTimeout(delayMs);
    try {
      const from = (await askBacklinks(service, url, { userAgent, network })).slice(0, MAX_SOURCES);
      add([`${ASKED}${url}`, ...from.map((each) => `${each}\t${url}`)]);
      [asked, links, inARow] = [asked + 1, links + from.length, 0];
    } catch (cause) {
      if (!(cause instanceof BingoError)) throw cause;
      failures.push({ url, message: cause.message, cause });
      if (++inARow === MOST_FAILURES) break;
    }
  }
  const [first] = failures;
  if (asked === 0 && first !== undefined) throw first.cause;
  const told = failures.map(({ url, message }) => ({ url, message }));
  return { file, asked, links, left: pages.length - asked, failures: told };
}

function checkAddress(service: string): void {
  const url = URL.parse(service.replaceAll('{url}', 'x'));
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '') return;
  throw new UsageError(
    `"${service}" is not the address of a service.`,
    'For example: --service https://links.example/api?target={url}',
  );
}

/** Returns examples of good topics and relevant pages, best first, without those asked about. */
async function pagesToAsk(store: Store, { tree }: Workspace, asked: ReadonlySet<string>): Promise<readonly string[]> {
  const examples = goodTopics(tree).flatMap((node) => node.examples);
  const named = examples.flatMap((example) => (example.kind === 'url' ? (canonicalize(example.url) ?? []) : []));
  const found: { readonly url: string; readonly relevance: number }[] = [];
  for await (const { finalUrl, relevance } of store.exportPages({ relevant: true, ended: false }))
    found.push({ url: finalUrl, relevance });
  found.sort((a, b) => b.relevance - a.relevance);
  return [...new Set<string>([...named, ...found.map(({ url }) => url)])].filter((url) => !asked.has(url));
}

function askedIn(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith(ASKED));
  return new Set(lines.map((line) => line.slice(ASKED.length).trim()));
}

/** Returns a function that adds lines to a file, which may lack its last line break. */
function appender(path: string, before: string): (lines: readonly string[]) => void {
  let start = before === '' || before.endsWith('\n') ? '' : '\n';
  return (lines) => {
    appendFileSync(path, `${start}${lines.join('\n')}\n`);
    start = '';
  };
}
