/**
 * `npm run topics:check`: fetches every example page of a topic tree by the rules of a crawl (robots.txt, address checks, a pause between
 * requests to a host), and prints those that are dead, moved to another site, or without readable text. Exits with 1 if one is dead.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { checkExamples, type Example, examplesOf } from './topic-examples.ts';

const HELP = `npm run topics:check -- [options]

  --tree FILE     topic tree (default topics/subjects.yaml)
  --contact TEXT  how site owners reach you: a mail address or URL
  --delay MS      pause between requests to a host (default 1000)
  --json          one JSON object per example on stdout
`;

const { values: flags } = parseArgs({
  options: {
    tree: { type: 'string', default: new URL('../topics/subjects.yaml', import.meta.url).pathname },
    contact: { type: 'string', default: '' },
    delay: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (flags.help) process.stdout.write(HELP);
else {
  const examples: readonly Example[] = examplesOf(parse(readFileSync(flags.tree, 'utf8')));
  const counts = new Map<string, number>();
  for await (const checked of checkExamples(examples, { contact: flags.contact, delayMs: Number(flags.delay) })) {
    const { topic, url, state, detail } = checked;
    counts.set(state, (counts.get(state) ?? 0) + 1);
    if (flags.json) process.stdout.write(`${JSON.stringify(checked)}\n`);
    else if (state !== 'alive') process.stdout.write(`${state.padEnd(8)} ${topic}  ${url}  ${detail}\n`);
  }
  const summary = [...counts].map(([state, n]) => `${n} ${state}`).join(', ');
  process.stderr.write(`${examples.length} examples: ${summary}.\n`);
  if (counts.has('dead')) process.exitCode = 1;
}
