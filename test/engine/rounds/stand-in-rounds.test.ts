import { describe, expect, test } from 'vitest';
import { analyzeText } from '../../../src/analyze/index.ts';
import { type Example, type RoundRecord, topicTree } from '../../../src/core/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';
import { classify, decodeModels, prepareClassifier } from '../../../src/meta/index.ts';
import { type Answer, exactConfig, type PaperCrawl, paperCrawl } from '../support/paper-web.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);
const SUBJECTS = {
  rail: words('locomotive railway track gauge steam signal carriage platform tunnel viaduct boiler coupling timetable'),
  food: words('flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan pastry'),
  stars: words('planet orbit telescope galaxy comet gravity astronomer nebula lunar crater probe eclipse'),
  sport: words('goal match referee league player stadium coach tournament score racket champion medal'),
};
type Subject = keyof typeof SUBJECTS;
const PLAIN =
  words(`people place world year often later small large work name story great many number side long part city
  water house night morning school family money letter paper street summer winter river field window answer question
  friend music picture market voice minute reason result sister table garden doctor power level`);
const SITES = ['rail', 'food', 'stars', 'sport'] as const;
const PAGES = 60;
const NAMED_OTHERS = 18;

function url(subject: string, i: number): string {
  return `http://${subject}.test/${i}`;
}

/**
 * One site per subject, wholly on it.
 * @param loyalty - share of links that stay on the site
 */
function webOfSites(loyalty: number): Map<string, Answer> {
  const random = seededRandom(3);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const web = new Map<string, Answer>();
  const write = (address: string, subject: Subject, targets: readonly string[]): void => {
    // A page has its own part of the subject's words.
    const own = SUBJECTS[subject].filter(() => random() < 0.6);
    const text = Array.from({ length: 90 }, () => pick(random() < 0.3 ? own : PLAIN)).join(' ');
    const links = targets.map((to) => `<a href="${to}">${pick(PLAIN)}</a>`).join(' ');
    web.set(address, `<title>${pick(own)}</title><p>${text} ${links}</p>`);
  };
  for (const site of SITES)
    for (let i = 0; i < PAGES; i++) {
      const target = (): string => url(random() < loyalty ? site : pick(SITES), Math.floor(random() * PAGES));
      write(url(site, i), site, Array.from({ length: 6 }, target));
    }
  for (let i = 0; i < NAMED_OTHERS; i++) write(url('everyday', i), pick(['food', 'stars', 'sport']), []);
  return web;
}

const named = (site: string, ...numbers: number[]): Example[] =>
  numbers.map((i) => ({ kind: 'url', url: url(site, i) }));
const OTHERS = named('everyday', ...Array.from({ length: NAMED_OTHERS }, (_, i) => i));
const TREE = topicTree([{ name: 'rail', examples: named('rail', 0, 1, 2) }], OTHERS);

function roundsOf({ journal }: PaperCrawl): RoundRecord[] {
  return journal.records.filter((record) => record.kind === 'round');
}

/** Returns the share of a site's pages that the model in force accepts. */
function acceptedOf(web: ReadonlyMap<string, Answer>, crawl: PaperCrawl, site: string): number {
  const classifier = prepareClassifier(decodeModels(roundsOf(crawl).at(-1)!.blob));
  const pages = [...web].flatMap(([address, page]) => (address.startsWith(`http://${site}.`) ? [page as string] : []));
  const verdicts = pages.map((page) => {
    const { features } = analyzeText(page.replaceAll(/<[^>]*>/g, ' '), { ...CONFIG.analyze, spaces: ['terms'] });
    return classify(classifier, features, 'weighted');
  });
  return verdicts.filter(({ others }) => !others).length / pages.length;
}

const CONFIG = exactConfig({
  crawl: { budget: 150, learn: 40, ordering: 'breadth-first' },
  learn: { retrainEvery: 100 },
});

describe('a seed site wholly on topic', () => {
  test('does not make the crawl accept other sites', async () => {
    const web = webOfSites(0.7);
    const crawl = paperCrawl(web, CONFIG, { tree: TREE });
    await crawl.run();
    const elsewhere = crawl.journal
      .pages()
      .filter(({ role, finalUrl }) => role === 'crawled' && !finalUrl.startsWith('http://rail.'));
    expect(elsewhere.length).toBeGreaterThan(50);
    expect(elsewhere.filter(({ assignment }) => !assignment.others)).toEqual([]);
    expect(acceptedOf(web, crawl, 'rail')).toBeGreaterThan(0.9);
  });

  test('lets learning choose archetypes, and keeps the counter-examples', async () => {
    const crawl = paperCrawl(webOfSites(0.7), CONFIG, { tree: TREE });
    await crawl.run();
    const learned = roundsOf(crawl).find(({ admitted }) => admitted.length > 0);
    expect(learned?.training.filter(({ origin }) => origin === 'others')).toHaveLength(NAMED_OTHERS);
    expect(crawl.events.filter((event) => event.kind === 'alarm' && event.code === 'indiscriminate')).toEqual([]);
  });

  test('that the harvest never leaves does not make it forget the counter-examples', async () => {
    const web = webOfSites(1);
    const config = { ...CONFIG, crawl: { ...CONFIG.crawl, learn: 0, budget: 55 } };
    const crawl = paperCrawl(web, config, { tree: TREE });
    await crawl.run();
    for (const site of ['food', 'stars', 'sport']) expect(acceptedOf(web, crawl, site), site).toBeLessThan(0.1);
    expect(acceptedOf(web, crawl, 'rail')).toBeGreaterThan(0.9);
  });
});
