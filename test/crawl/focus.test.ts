import { describe, expect, it } from 'vitest';
import { type Assignment, type Confidence, ROOT, type TopicId } from '../../src/core/index.ts';
import { acceptedTopic, type FocusQuestion, focus } from '../../src/crawl/index.ts';

const MUSIC = 'arts/music' as TopicId;
const DANCE = 'arts/dance' as TopicId;
const ARTS = 'arts' as TopicId;
const isGood = (topic: TopicId): boolean => topic === MUSIC || topic === DANCE;

function judged(topic: TopicId, others = false): Assignment {
  return { topic, others, confidence: 0 as Confidence, relevance: 0, scores: [], model: 1 };
}
const ACCEPTED = judged(MUSIC);
const REJECTED = judged(ROOT, true);

type Entry = NonNullable<FocusQuestion['entry']>;
const entry = (fields: Partial<Entry> = {}): Entry => ({
  topic: MUSIC,
  depth: 1,
  tunnelDepth: 0,
  via: 'link',
  ...fields,
});

function ask(fields: Partial<FocusQuestion>): ReturnType<typeof focus> {
  return focus({
    phase: 'harvesting',
    assignment: ACCEPTED,
    entry: entry(),
    tunnelDistance: 2,
    learnMaxDepth: 4,
    isGood,
    ...fields,
  });
}

describe('Sharp focus, while learning', () => {
  const phase = 'learning';

  it('follows links of a page that has the class of its predecessor', () => {
    expect(ask({ phase })).toMatchObject({ topic: MUSIC, depth: 2, tunnelDepth: 0 });
  });

  it('follows links of a seed of any good topic, in the queue of that topic', () => {
    const seed = entry({ via: 'seed', depth: 0, topic: DANCE });
    expect(ask({ phase, entry: seed })).toMatchObject({ topic: MUSIC, depth: 1 });
  });

  it('follows links of a page without a predecessor, of any good topic', () => {
    expect(ask({ phase, entry: undefined })).toMatchObject({ topic: MUSIC, depth: 1, tunnelDepth: 0 });
    expect(ask({ phase, entry: undefined, assignment: REJECTED })).toBeUndefined();
  });

  it('does not depend on the focus of the harvesting phase', () => {
    expect(ask({ phase, mode: 'hard', assignment: REJECTED })).toMatchObject({ tunnelDepth: 1 });
  });

  it('counts a page of another class as rejected by the requesting topic', () => {
    expect(ask({ phase, entry: entry({ topic: DANCE }) })).toMatchObject({
      topic: DANCE,
      tunnelDepth: 1,
    });
  });

  it('ends at the maximum depth', () => {
    expect(ask({ phase, entry: entry({ depth: 3 }) })?.depth).toBe(4);
    expect(ask({ phase, entry: entry({ depth: 4 }) })).toBeUndefined();
  });

  it('stays within the domains of the seeds', () => {
    const follow = ask({ phase, seedDomains: new Set(['seed.test']) });
    expect(['www.seed.test:8080', 'other.test'].map((host) => follow?.allowUrl(host))).toEqual([true, false]);
  });
});

describe('Soft focus, while harvesting', () => {
  it('follows links of a page of any good topic, in the queue of that topic', () => {
    expect(ask({ entry: entry({ topic: DANCE }) })).toMatchObject({ topic: MUSIC, tunnelDepth: 0 });
  });

  it('has no limit of depth and domains', () => {
    const follow = ask({ entry: entry({ depth: 40 }), seedDomains: new Set(['seed.test']) });
    expect(follow?.depth).toBe(41);
    expect(follow?.allowUrl('other.test')).toBe(true);
  });

  it('starts a new tunnel after every accepted page', () => {
    expect(ask({ entry: entry({ tunnelDepth: 2 }) })?.tunnelDepth).toBe(0);
  });
});

describe('Tunnelling', () => {
  it.each(['learning', 'harvesting'] as const)('follows links of rejected pages to distance 2 while %s', (phase) => {
    const steps = [0, 1, 2].map((tunnelDepth) => ask({ phase, assignment: REJECTED, entry: entry({ tunnelDepth }) }));
    expect(steps[0]).toMatchObject({ topic: MUSIC, tunnelDepth: 1 });
    expect(steps[1]).toMatchObject({ topic: MUSIC, tunnelDepth: 2 });
    expect(steps[2]).toBeUndefined();
  });

  it('is off at distance 0', () => {
    expect(ask({ assignment: REJECTED, tunnelDistance: 0 })).toBeUndefined();
  });

  it('does not start at a rejected page without a predecessor', () => {
    expect(ask({ assignment: REJECTED, entry: undefined })).toBeUndefined();
    expect(ask({ entry: undefined })).toMatchObject({ topic: MUSIC, depth: 1 });
  });
});

describe('Hard focus', () => {
  it('follows links of good pages and prunes after all others', () => {
    expect(ask({ mode: 'hard' })).toMatchObject({ topic: MUSIC });
    expect(ask({ mode: 'hard', assignment: REJECTED })).toBeUndefined();
  });
});

describe('The accepted topic', () => {
  it('is undefined for a page that ended in OTHERS below a path topic', () => {
    expect(acceptedTopic(judged(ARTS, true), isGood)).toBeUndefined();
    expect(acceptedTopic(REJECTED, () => true)).toBeUndefined();
  });

  it('is the good inner node for a page that all its children reject', () => {
    expect(acceptedTopic(judged(ARTS, true), (topic) => topic === ARTS)).toBe(ARTS);
  });
});
