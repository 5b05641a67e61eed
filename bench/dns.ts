/** `npm run bench:dns`: how many names a minute the resolver answers for, asked of real name servers on loopback. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS } from '../src/core/index.ts';
import { Resolver } from '../src/fetch/index.ts';
import type { Nature } from './dns-servers.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:dns -- [options]

  --seconds N     how long each row is measured (default 5)
  --at-once N     names asked for at the same time (default ${DEFAULTS.network.concurrency}, the crawl's network.concurrency)
`;
/** What the crawler of 2003 needed (BINGO! §4.2). */
const NEEDED = 5_000;

const swift: Nature = { afterMs: 0, lost: 0, failing: 0 };
const ROWS: readonly (readonly [string, readonly Nature[]])[] = [
  ['one server, at once', [swift]],
  ['one server, after 30 ms', [{ ...swift, afterMs: 30 }]],
  ['one server, after 200 ms', [{ ...swift, afterMs: 200 }]],
  [
    'two servers, the first silent',
    [
      { ...swift, lost: 1 },
      { ...swift, afterMs: 30 },
    ],
  ],
  [
    'two servers, 30 ms, 1 % of questions lost',
    [
      { afterMs: 30, lost: 0.01, failing: 0 },
      { afterMs: 30, lost: 0.01, failing: 0 },
    ],
  ],
  [
    'two servers, 30 ms, 5 % SERVFAIL',
    [
      { afterMs: 30, lost: 0, failing: 0.05 },
      { afterMs: 30, lost: 0, failing: 0.05 },
    ],
  ],
];

const flags = readFlags({
  seconds: { type: 'string', default: '5' },
  'at-once': { type: 'string', default: String(DEFAULTS.network.concurrency) },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

interface Measured {
  readonly case: string;
  readonly perMinute: number;
  readonly failed: number;
  readonly cpuMs: number;
}

async function measure(name: string, natures: readonly Nature[]): Promise<Measured> {
  const child = fork(new URL('./dns-servers.ts', import.meta.url));
  child.send(natures);
  const [dnsServers] = (await once(child, 'message')) as [string[]];
  const resolver = new Resolver({ ...DEFAULTS.network, dnsServers });
  const atOnce = Number(flags['at-once']);
  const deadline = performance.now() + 1000 * Number(flags.seconds);
  const started = performance.now();
  const cpu = process.cpuUsage();
  let [next, answered, failed] = [0, 0, 0];
  const ask = async (): Promise<void> => {
    while (performance.now() < deadline) {
      // Every name is new: nothing comes out of the cache.
      const { kind } = await resolver.resolve(`host-${next++}.bench.test`);
      if (kind === 'resolved') answered++;
      else failed++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  const minutes = (performance.now() - started) / 60_000;
  const { user, system } = process.cpuUsage(cpu);
  resolver.close();
  child.disconnect();
  return { case: name, perMinute: answered / minutes, failed, cpuMs: (user + system) / 1000 / Math.max(1, answered) };
}

if (flags.help) {
  process.stdout.write(HELP);
} else {
  const measured: Measured[] = [];
  for (const [name, natures] of ROWS) measured.push(await measure(name, natures));
  if (flags.json) process.stdout.write(`${JSON.stringify(measured, undefined, 2)}\n`);
  else {
    const head = [
      `name servers, ${flags['at-once']} names at once`,
      'lookups/minute',
      `÷ ${NEEDED}`,
      'unanswered',
      'CPU ms each',
    ];
    const rows = measured.map((row) => [
      row.case,
      Math.round(row.perMinute).toLocaleString('en'),
      (row.perMinute / NEEDED).toFixed(1),
      String(row.failed),
      row.cpuMs.toFixed(3),
    ]);
    process.stdout.write(`${machine()}\n\n${table(head, rows)}\n`);
  }
}
