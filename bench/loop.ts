/** The loop of a crawler that does the least: undici fetches, unseen links are queued. No robots.txt, no limits, nothing kept for a restart. */
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import type { ContenderTask } from './contender.ts';

/** What the loop finds in a page by itself. */
export interface LoopPage {
  readonly url: string;
  readonly status: number;
  readonly title: string;
  readonly links: readonly string[];
  /** All text outside of title, scripts and styles; empty unless it was asked for. */
  readonly text: string;
}

/** Fetches pages until there are as many as the task wants, or no link is left, and gives each to `take`. */
export async function crawlLoop(task: ContenderTask, withText: boolean, take: (page: LoopPage) => void): Promise<void> {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  const queue = [...task.seeds];
  const seen = new Set(queue);
  let started = 0;
  let active = 0;
  let next = 0;

  await new Promise<void>((resolve) => {
    const fill = (): void => {
      while (active < task.concurrency && started < task.pages && next < queue.length) {
        active++;
        started++;
        void visit(queue[next++]!).finally(() => {
          active--;
          fill();
        });
      }
      if (active === 0) resolve();
    };
    fill();
  });
  await dispatcher.close();

  async function visit(url: string): Promise<void> {
    const response = await request(url, { dispatcher });
    const html = await response.body.text();
    if (response.statusCode !== 200) return;
    const found = read(html, url, withText);
    take({ url, status: response.statusCode, ...found });
    for (const link of found.links) {
      if (seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
  }
}

type Read = Pick<LoopPage, 'title' | 'links' | 'text'>;

function read(html: string, base: string, withText: boolean): Read {
  let title = '';
  let text = '';
  let inTitle = false;
  let inCode = false;
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title') inTitle = true;
      if (name === 'script' || name === 'style') inCode = true;
      const { href } = attributes;
      const link = name === 'a' && href !== undefined ? absolute(href, base) : undefined;
      if (link !== undefined) links.push(link);
    },
    ontext(piece) {
      if (inTitle) title += piece;
      else if (withText && !inCode) text += piece;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
      if (name === 'script' || name === 'style') inCode = false;
    },
  });
  parser.end(html);
  return { title, links, text };
}

function absolute(href: string, base: string): string | undefined {
  const url = URL.parse(href, base);
  if (url === null || !url.protocol.startsWith('http')) return undefined;
  url.hash = '';
  return url.href;
}
