import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, type CrawlEvent, ROOT, type TopicId, topicTree } from '../../src/core/index.ts';
import { Reviewer, type ReviewOptions } from '../../src/lab/tasks/reviewer.ts';

const RAILWAYS = 'railways' as TopicId;
const TREE = topicTree([{ name: 'railways' }], []);
/** One page is off topic and one is not judged. All others are on topic. */
const [OFF, UNKNOWN] = ['http://a.test/off', 'http://a.test/unknown'];
const TRUTH = {
  topicsOf: (url: CanonicalUrl) => (url === UNKNOWN ? undefined : url === OFF ? [] : ['railways']),
};

let sequence = 0;
function page(finalUrl: string, calibrated: number, { others = false, via = 'page' } = {}): CrawlEvent {
  const assignment = { topic: others ? ROOT : RAILWAYS, others, scores: [{ topic: RAILWAYS, calibrated }] };
  const record = {
    role: 'crawled',
    finalUrl,
    sequence: ++sequence,
    origin: { via },
    assignment,
    document: { title: '' },
  };
  return { kind: 'page', record } as unknown as CrawlEvent;
}

const PAGES = [
  page('http://a.test/sure', 1.8),
  page(OFF, 1),
  page(UNKNOWN, 0.95),
  page('http://a.test/rejected', 0.5, { others: true }),
  page('http://a.test/fair', 1.2),
];

function decided(options: Partial<ReviewOptions>, events: readonly CrawlEvent[] = PAGES) {
  const reviewer = new Reviewer({ pages: 2, after: PAGES.length, order: 'unsure', ...options }, TREE, TRUTH);
  return events.flatMap((event) => reviewer.decide(event));
}

describe('a reviewer', () => {
  it('marks the least certain accepted pages, without unjudged ones', () => {
    expect(decided({}).map(({ key, use, topic }) => [key, use, topic])).toEqual([
      [OFF, 'others', ROOT],
      ['http://a.test/fair', 'example', RAILWAYS],
    ]);
  });

  it('or marks the most certain ones', () => {
    expect(decided({ order: 'surest' }).map(({ key }) => key)).toEqual(['http://a.test/sure', 'http://a.test/fair']);
  });

  it('decides once, after enough fetched pages, not counting seeds', () => {
    const seed = page('http://a.test/seed', 1, { via: 'seed' });
    expect(decided({}, [seed, ...PAGES.slice(1)])).toEqual([]);
    expect(decided({ pages: 9 }, [...PAGES, ...PAGES])).toHaveLength(3);
  });
});
