import { readFileSync } from 'node:fs';
import { canonicalize } from '../src/core/index.ts';
import { FrozenWeb } from '../src/lab/index.ts';
import type { CrawlStart, Web } from './web.ts';

/** One item of `tasks.json`, as far as a crawl needs it. */
interface Task {
  readonly id: string;
  readonly examples: Readonly<Record<string, readonly string[]>>;
  readonly seeds: readonly string[];
  readonly others: readonly string[];
}

export interface ServedFrozenWebOptions {
  readonly port: number;
  /** A WARC file. */
  readonly path: string;
  readonly tasksPath: string;
  /** The task whose topics, examples and seeds are used. */
  readonly task: string;
}

/**
 * A frozen web on a port of its own: the port is written into the links of its pages, so that every crawler can reach
 * every host directly. All pages are held in memory, to cost nothing while a crawl is measured.
 */
export class ServedFrozenWeb implements Web {
  readonly start: CrawlStart;
  readonly #pages: ReadonlyMap<string, Buffer>;

  static async open(options: ServedFrozenWebOptions): Promise<ServedFrozenWeb> {
    const frozen = await FrozenWeb.open(options.path);
    const pages = new Map<string, Buffer>();
    for (const url of frozen.urls()) {
      const page = frozen.page(url);
      if (page?.status === 200) pages.set(url, Buffer.from(withPort(Buffer.from(page.body).toString(), options.port)));
    }
    return new ServedFrozenWeb(pages, options);
  }

  private constructor(pages: ReadonlyMap<string, Buffer>, { port, tasksPath, task }: ServedFrozenWebOptions) {
    this.#pages = pages;
    const tasks: readonly Task[] = JSON.parse(readFileSync(tasksPath, 'utf8'));
    const found = tasks.find(({ id }) => id === task);
    if (found === undefined) throw new Error(`Expected a task "${task}" in ${tasksPath}`);
    const local = (urls: readonly string[]): string[] => urls.map((url) => withPort(url, port));
    const topics = Object.entries(found.examples).map(([name, urls]) => ({ name, examples: local(urls) }));
    this.start = {
      name: `frozen, ${pages.size} pages`,
      seeds: local(found.seeds),
      topics,
      others: local(found.others),
    };
  }

  page(host: string, path: string): Buffer | undefined {
    const url = `http://${host}${path}`;
    return this.#pages.get(url) ?? this.#pages.get(canonicalize(url) ?? '');
  }
}

function withPort(text: string, port: number): string {
  return text.replace(/(https?:\/\/[a-z0-9.-]+\.test)(?=\/|")/g, `$1:${port}`);
}
