import { expect, test } from 'vitest';
import type { RoundRecord } from '../../../src/core/index.ts';
import type { TrainingRequest, TrainingResult } from '../../../src/engine/ports.ts';
import { ModelTrainer } from '../../../src/engine/training/model-trainer.ts';
import { decodeModels } from '../../../src/meta/index.ts';
import { exactConfig, type Overrides, paperCrawl, paperWeb, railTree } from '../support/paper-web.ts';

const ANCHORS = {
  rail: 'locomotive railway track gauge steam signal carriage'.split(' '),
  food: 'flour butter oven recipe dough sugar vanilla'.split(' '),
};

/**
 * A paper web whose anchors say what the pages behind them are about. Pages of the other subject, other than the named
 * OTHERS, are near misses: they have words of the topic, too.
 */
function webWithAnchors(): ReturnType<typeof paperWeb> {
  let n = 0;
  const named = (page: string): string =>
    page.replaceAll(/(<a href="http:\/\/(rail|food)[^>]*>)[a-z]+/g, (_, link: string, subject: 'rail' | 'food') => {
      return `${link}${ANCHORS[subject][n++ % 7]}`;
    });
  const near = (url: string, page: string): string => {
    const number = Number(url.split('/').at(-1));
    if (!url.includes('//food') || number < 6) return page;
    const words = Array.from({ length: 24 }, (_, i) => ANCHORS.rail[(number + i) % 7]);
    return page.replace('<p>', `<p>${words.join(' ')} `);
  };
  return new Map([...paperWeb()].map(([url, page]) => [url, near(url, named(page as string))]));
}

const OVERRIDES: Overrides = {
  crawl: { budget: 120, learn: 20 },
  learn: { spaces: ['terms', 'anchors', 'neighbours'], retrainEvery: 20 },
};

test('rounds with anchors and neighbours as classifiers of their own come into force', async () => {
  const config = exactConfig(OVERRIDES);
  const tree = railTree();
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed });
  const crawl = paperCrawl(webWithAnchors(), config, { tree, trainer });
  await crawl.run();
  const rounds = crawl.journal.records.filter((record): record is RoundRecord => record.kind === 'round');
  const spaces = new Set(decodeModels(rounds.at(-1)!.blob).svms.map(({ space }) => space));
  expect(spaces).toEqual(new Set(config.learn.spaces));
});

test('rounds are compared on one set of pages, not by the ranks over their own pages', async () => {
  const config = exactConfig(OVERRIDES);
  const tree = railTree();
  /** Its later rounds rank the examples lower, but only over pages of their own. */
  class NearerMisses extends ModelTrainer {
    override async train(request: TrainingRequest): Promise<TrainingResult> {
      const result = this.trainNow(request);
      const exampleRank = request.before === undefined ? 1 : 0.8;
      return { ...result, estimates: result.estimates.map((estimate) => ({ ...estimate, exampleRank })) };
    }
  }
  const roundsOf = async (kind: typeof ModelTrainer): Promise<readonly RoundRecord[]> => {
    const trainer = new kind({ tree, learn: config.learn, seed: config.crawl.seed });
    const { run, journal } = paperCrawl(webWithAnchors(), config, { tree, trainer });
    await run();
    return journal.records.filter((record): record is RoundRecord => record.kind === 'round');
  };
  const [plain, nearer] = [await roundsOf(ModelTrainer), await roundsOf(NearerMisses)];
  expect(nearer.at(-1)!.estimates[0]!.exampleRank).toBe(0.8);
  expect(nearer.map(({ undone, model }) => [undone, model])).toEqual(plain.map(({ undone, model }) => [undone, model]));
  expect(nearer.some(({ undone, model }) => !undone && model > 1)).toBe(true);
});
