/** The least that a crawler can do: fetches pages, finds title and links, writes a JSON line for each, follows the links. */
import { createWriteStream } from 'node:fs';
import type { ContenderTask } from './contender.ts';
import { crawlLoop } from './loop.ts';

const task: ContenderTask = JSON.parse(process.argv[2] ?? '');
const output = createWriteStream(task.output);
await crawlLoop(task, false, ({ url, status, title, links }) => {
  output.write(`${JSON.stringify({ url, status, title, links })}\n`);
});
await new Promise((resolve) => output.end(resolve));
