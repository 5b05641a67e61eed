import { expect, test } from 'vitest';
import type { RoundRecord } from '../../../src/core/index.ts';
import { ModelTrainer } from '../../../src/engine/training/model-trainer.ts';
import { decodeModels } from '../../../src/meta/index.ts';
import { exactConfig, paperCrawl, paperWeb, railTree } from '../support/paper-web.ts';

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

test('rounds with anchors and neighbours as classifiers of their own come into force', async () => {
  const config = exactConfig({
    crawl: { budget: 120, learn: 20 },
    learn: { spaces: ['terms', 'anchors', 'neighbours'], retrainEvery: 20 },
  });
  const tree = railTree();
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed });
  const crawl = paperCrawl(webWithAnchors(), config, { tree, trainer });
  await crawl.run();
  const rounds = crawl.journal.records.filter((record): record is RoundRecord => record.kind === 'round');
  const spaces = new Set(decodeModels(rounds.at(-1)!.blob).svms.map(({ space }) => space));
  expect(spaces).toEqual(new Set(config.learn.spaces));
});
