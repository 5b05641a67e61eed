import type { ServedWorkspaces } from './served.ts';

/** Counts answers by status. */
export type AnswerCounts = Map<number, number>;

/** Writes the state of the server and its workspaces in the text format of Prometheus. */
export async function metricsText({ all }: ServedWorkspaces, answers: AnswerCounts): Promise<string> {
  const rows = await Promise.all(all.map(async (served) => ({ served, status: await served.status() })));
  const each = (value: (row: (typeof rows)[number]) => number | undefined): string[] =>
    rows.flatMap((row) => {
      const found = value(row);
      return found === undefined || Number.isNaN(found) ? [] : [`{workspace=${quoted(row.served.name)}} ${found}`];
    });
  const state = ({ served: { job } }: (typeof rows)[number]) => job?.state().status;
  const families: readonly (readonly [name: string, type: string, help: string, samples: readonly string[]])[] = [
    ['bingo_pages', 'gauge', 'Stored pages.', each(({ status }) => status?.pages)],
    ['bingo_relevant_pages', 'gauge', 'Pages accepted into a topic.', each(({ status }) => status?.relevant)],
    ['bingo_harvest_rate', 'gauge', 'Share of relevant pages, 0 to 1.', each(({ status }) => status?.harvestRate)],
    ['bingo_known_urls', 'gauge', 'URLs seen in any way.', each(({ status }) => status?.knownUrls)],
    [
      'bingo_crawl_running',
      'gauge',
      'A crawl of this server runs.',
      each(({ served }) => Number(served.job?.isRunning ?? false)),
    ],
    ['bingo_crawl_fetched_pages', 'gauge', 'Pages of the running crawl.', each((row) => state(row)?.fetched)],
    ['bingo_crawl_pages_per_second', 'gauge', 'Speed of the running crawl.', each((row) => state(row)?.pagesPerSecond)],
    ['bingo_crawl_failed', 'gauge', 'Failed fetches of the running crawl.', each((row) => state(row)?.failed)],
    [
      'bingo_answers_total',
      'counter',
      'Answers of the server.',
      [...answers].map(([code, n]) => `{status="${code}"} ${n}`),
    ],
    ['process_resident_memory_bytes', 'gauge', 'Memory of the process.', [` ${process.memoryUsage.rss()}`]],
    ['process_cpu_seconds_total', 'counter', 'CPU time of the process.', [` ${cpuSeconds()}`]],
  ];
  return families
    .filter(([, , , samples]) => samples.length > 0)
    .flatMap(([name, type, help, samples]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((one) => name + one),
    ])
    .join('\n');
}

function quoted(label: string): string {
  return `"${label.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
