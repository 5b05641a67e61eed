/**
 * The least that a crawler can do: undici fetches, htmlparser2 finds title and links, one JSON line a page is written,
 * unseen links are queued. No robots.txt, no limits, no analysis, nothing kept for a restart.
 */
import { createWriteStream } from 'node:fs';
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import type { ContenderTask } from './contender.ts';

const task: ContenderTask = JSON.parse(process.argv[2] ?? '');
const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
const output = createWriteStream(task.output);
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
await new Promise((resolve) => output.end(resolve));
await dispatcher.close();

async function visit(url: string): Promise<void> {
  const response = await request(url, { dispatcher });
  const html = await response.body.text();
  if (response.statusCode !== 200) return;
  const { title, links } = parse(html, url);
  output.write(`${JSON.stringify({ url, status: response.statusCode, title, links })}\n`);
  for (const link of links) {
    if (seen.has(link)) continue;
    seen.add(link);
    queue.push(link);
  }
}

function parse(html: string, base: string): { title: string; links: string[] } {
  let title = '';
  let inTitle = false;
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title') inTitle = true;
      const { href } = attributes;
      const link = name === 'a' && href !== undefined ? absolute(href, base) : undefined;
      if (link !== undefined) links.push(link);
    },
    ontext(text) {
      if (inTitle) title += text;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);
  return { title, links };
}

function absolute(href: string, base: string): string | undefined {
  const url = URL.parse(href, base);
  if (url === null || !url.protocol.startsWith('http')) return undefined;
  url.hash = '';
  return url.href;
}
