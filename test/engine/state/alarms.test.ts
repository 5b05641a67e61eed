import { beforeAll, describe, expect, test } from 'vitest';
import { type Config, type CrawlEvent, topicTree } from '../../../src/core/index.ts';
import {
  type Answer,
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from '../support/paper-web.ts';

type AlarmEvent = CrawlEvent & { kind: 'alarm' };
const alarmsOf = ({ events }: PaperCrawl): AlarmEvent[] =>
  events.flatMap((event) => (event.kind === 'alarm' ? [event] : []));

/** A paper web in which cooking has 300 pages, and every link to railways leads to one of 80. */
function webThatRunsDry(): ReturnType<typeof paperWeb> {
  const links = /http:\/\/rail\d\.paper\.test\/page\/(\d+)/g;
  const pages = [...paperWeb(300)].map(([url, answer]): [string, Answer] => {
    const text = (answer as string).replaceAll(links, (_, i: string) => paperUrl('rail', Number(i) % 80));
    return [url, text];
  });
  return new Map(pages.filter(([url]) => !url.includes('//rail') || Number(url.split('/').at(-1)) < 80));
}

/** Railways are wanted, cooking is known and is not. */
function railAgainstFood(): ReturnType<typeof topicTree> {
  const examples = (subject: 'rail' | 'food') =>
    [0, 1, 2].map((i) => ({ kind: 'url' as const, url: paperUrl(subject, i) }));
  const topics = [
    { name: 'railways', examples: examples('rail') },
    { name: 'cooking', good: false, examples: examples('food') },
  ];
  return topicTree(topics, []);
}

const config = (crawl: Partial<Config['crawl']> = {}): Config =>
  exactConfig({ crawl: { budget: 260, learn: 0, ordering: 'confidence', ...crawl }, learn: { maxArchetypes: 0 } });

describe('a topic without new pages', () => {
  let dry: PaperCrawl;
  beforeAll(async () => {
    dry = paperCrawl(webThatRunsDry(), config({ stagnationPages: 90 }));
    await dry.run();
  });

  test('is reported once if its harvest rate collapses, and once if it stagnates', () => {
    expect(
      alarmsOf(dry)
        .map(({ code }) => code)
        .sort(),
    ).toEqual(['harvest-collapse', 'stagnation']);
  });

  test('is reported with the pages found instead, the progress, and the next step', () => {
    const alarm = alarmsOf(dry).find(({ code }) => code === 'stagnation');
    expect(alarm?.message).toContain('Nothing relevant for "railways" among its last 90 pages');
    expect(alarm?.data).toMatchObject({
      topic: 'railways',
      barren: 90,
      topics: [
        { place: 'OTHERS', pages: 98, relevant: 0 },
        { place: 'railways', pages: 2, relevant: 2 },
      ],
    });
    expect(alarm?.data?.hosts[0]?.place).toMatch(/^food/);
    expect(alarm?.data?.rate).toBeCloseTo(0.02, 12);
    expect(alarm?.data?.saturation).toBeGreaterThan(0.3);
    expect(alarm?.remedy).not.toBe('');
  });

  test('is reported at the same pages if the crawl is repeated', async () => {
    const again = paperCrawl(webThatRunsDry(), config({ stagnationPages: 90 }));
    await again.run();
    expect(alarmsOf(again)).toEqual(alarmsOf(dry));
  });

  test('is reported once across resumes', async () => {
    const at = (code: string): number => {
      const index = dry.events.findIndex((event) => event.kind === 'alarm' && event.code === code);
      const record = dry.events.slice(0, index).findLast((event) => event.kind === 'page');
      return record?.kind === 'page' ? record.record.sequence : Number.NaN;
    };
    const resumedAfter = async (sequence: number): Promise<string[]> => {
      const journal = RecordingJournal.holding(dry.journal.records.slice(0, sequence));
      const resumed = paperCrawl(webThatRunsDry(), config({ stagnationPages: 90 }), { journal });
      await resumed.run();
      return alarmsOf(resumed).map(({ code }) => code);
    };
    const [collapse, stagnation] = [at('harvest-collapse'), at('stagnation')];
    expect(collapse).toBeLessThan(stagnation);
    expect(await resumedAfter(collapse - 1)).toEqual(['harvest-collapse', 'stagnation']);
    expect(await resumedAfter(collapse)).toEqual(['stagnation']);
    expect(await resumedAfter(stagnation)).toEqual([]);
  });

  test('has no stagnation alarm if the setting is 0', async () => {
    const quiet = paperCrawl(webThatRunsDry(), config({ stagnationPages: 0 }));
    await quiet.run();
    expect(alarmsOf(quiet).map(({ code }) => code)).not.toContain('stagnation');
  });
});

describe('a topic that drifts', () => {
  test('is reported with the name of the other topic, and asks whether to mark it good', async () => {
    const drifting = paperCrawl(webThatRunsDry(), config({ stagnationPages: 0 }), { tree: railAgainstFood() });
    await drifting.run();
    const [drift] = alarmsOf(drifting).filter(({ code }) => code === 'drift');
    expect(drift?.message).toMatch(
      /of the last 100 pages fetched for "railways" are on "cooking", which is not marked good/,
    );
    expect(drift?.remedy).toContain('mark "cooking" good');
    expect(drift?.data).toMatchObject({
      topic: 'railways',
      place: 'cooking',
      topics: expect.arrayContaining([expect.objectContaining({ place: 'cooking', relevant: 0 })]),
    });
  });
});

describe('a crawl that succeeds', () => {
  test('has no alarm', async () => {
    const well = paperCrawl(paperWeb(200), config({ budget: 150 }));
    await well.run();
    expect(alarmsOf(well)).toEqual([]);
  });
});
