import { type CanonicalUrl, type Judgement, ROOT } from '../../core/index.ts';
import { Crawl, ModelTrainer } from '../../engine/index.ts';
import { type ExploreOptions, SimulatedUser } from '../tasks/answerer.ts';
import type { Truth } from '../tasks/relevance.ts';
import { type Task, taskTree } from '../tasks/task.ts';
import { ArchiveFetcher } from '../web/archive-fetcher.ts';
import type { AnalyzedWeb } from './analyzed-web.ts';
import { LabAnalyzer } from './lab-analyzer.ts';
import { MemoryJournal } from './memory-journal.ts';
import { type RunOptions, taskConfig } from './run-task.ts';

/**
 * Returns a task whose user explored first: pages answered with yes are examples and start pages, the others
 * counter-examples. None of them counts as found, like every page that is given.
 */
export async function exploredTask(
  task: Task,
  web: AnalyzedWeb,
  truth: Truth,
  { explore, ...options }: RunOptions & { readonly explore: ExploreOptions },
): Promise<Task> {
  const config = taskConfig({ ...task, budget: explore.pages }, 'learned', options);
  const tree = taskTree(task);
  const judged: Judgement[] = [];
  const user = new SimulatedUser({ ...explore, lag: 0, errors: 0 }, truth, (command) => crawl.steer(command));
  const crawl: Crawl = new Crawl({
    ...{ tree, config, journal: new MemoryJournal() },
    fetcher: new ArchiveFetcher(web.web),
    analyzer: new LabAnalyzer(web, config.learn),
    trainer: new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed }),
    ask: { answers: explore.answers, order: explore.order, atEnd: true },
    now: () => Date.UTC(2026, 0, 1),
    onEvent: (event) => {
      user.note(event);
      if (event.kind === 'steer' && event.record.command.kind === 'judge-page')
        judged.push(event.record.command.judgement);
    },
  });
  await crawl.run();
  return withAnswers(task, judged);
}

function withAnswers(task: Task, judged: readonly Judgement[]): Task {
  const of = (topic: string): CanonicalUrl[] =>
    judged.flatMap((page) => (page.use === 'example' && page.topic === topic ? [page.key as CanonicalUrl] : []));
  const topics = task.topics.map((topic) => ({ ...topic, examples: [...topic.examples, ...of(topic.name)] }));
  const found = task.topics.flatMap(({ name }) => of(name));
  const others = judged.flatMap(({ use, topic, key }) =>
    use === 'others' && topic === ROOT ? [key as CanonicalUrl] : [],
  );
  return {
    ...{ ...task, topics, seeds: [...task.seeds, ...found], others: [...task.others, ...others] },
    ...{ reachable: undefined, scored: undefined, oracleArea: undefined },
  };
}
