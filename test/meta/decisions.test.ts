import { describe, expect, it } from 'vitest';
import { ROOT, type TopicId, topicTree } from '../../src/core/index.ts';
import { decisionsOf, givenPart, nodeClasses } from '../../src/meta/decisions.ts';
import { example, other } from './topics.ts';

const PAGES = [
  example('war', 'battle'),
  example('war', 'siege', 'archetype-by-authority'),
  example('music', 'song'),
  example('music', 'choir', 'archetype-by-confidence'),
  other('tea'),
  { ...other('army'), origin: 'rejected' as const },
];
const QUERY = { kind: 'text', name: 'war: battle', text: 'battle' } as const;
const TREE = topicTree([{ name: 'war', examples: [QUERY] }, { name: 'music' }], []);
const CLASSES = nodeClasses(TREE, PAGES, [6, 7]);

describe('a decision', () => {
  it('treats archetypes as uncertain, including those of siblings, and nothing else', () => {
    for (const hasOthers of [true, false]) {
      const [war] = decisionsOf(CLASSES, PAGES, { hasOthers, tree: TREE });
      expect(war!.doubted.map((row) => [...war!.positives, ...war!.negatives][row])).toEqual([1, 3]);
      expect(givenPart(war!).doubted).toEqual([]);
    }
  });
});

describe('the user-given part of a decision', () => {
  const war = decisionsOf(CLASSES, PAGES, { hasOthers: true, tree: TREE })[0]!;

  it('excludes archetypes, archetypes of siblings, and rejected pages', () => {
    expect(war).toMatchObject({ node: ROOT, topic: 'war' as TopicId, positives: [0, 1], archetypes: [1] });
    expect(war.found.map((row) => [...war.positives, ...war.negatives][row])).toEqual([1, 3, 5]);
    const given = givenPart(war);
    expect(given).toMatchObject({
      node: ROOT,
      topic: 'war',
      positives: [0],
      given: [{ named: [0], marked: [] }],
      archetypes: [],
      found: [],
    });
    expect(given.negatives).toEqual(war.negatives.filter((document) => ![3, 5].includes(document)));
  });

  it('separates pages named by the user from found pages that the user marked', () => {
    const pages = [example('war', 'siege', 'feedback'), ...PAGES];
    const [first] = decisionsOf(nodeClasses(TREE, pages, []), pages, { hasOthers: true, tree: TREE });
    expect(first!.given).toEqual([{ named: [1], marked: [0] }]);
    expect(givenPart(first!).given).toEqual([{ named: [1], marked: [0] }]);
  });

  it('maps each of its rows to a row of the whole decision', () => {
    const { rows, positives, negatives } = givenPart(war);
    const whole = [...war.positives, ...war.negatives];
    expect(rows.map((row) => whole[row])).toEqual([...positives, ...negatives]);
  });

  it('includes the rejected pages if the user gave no OTHERS', () => {
    const [first] = decisionsOf(CLASSES, PAGES, { hasOthers: false, tree: TREE });
    expect(givenPart(first!).negatives).toContain(5);
    expect(givenPart(first!).positives).toEqual([0]);
  });

  it('equals the whole decision if the crawl found nothing', () => {
    const pages = [PAGES[0]!, PAGES[2]!, PAGES[4]!];
    const [first] = decisionsOf(nodeClasses(TREE, pages, []), pages, { hasOthers: true, tree: TREE });
    expect(givenPart(first!)).toMatchObject({ ...first!, rows: [0, 1, 2] });
  });

  it('marks the examples that are words of a query', () => {
    const [first, music] = decisionsOf(CLASSES, PAGES, { hasOthers: true, tree: TREE });
    expect([first!.queries, music!.queries]).toEqual([[0], []]);
    const reversed = [PAGES[1]!, PAGES[0]!, ...PAGES.slice(2)];
    const [second] = decisionsOf(nodeClasses(TREE, reversed, []), reversed, { hasOthers: true, tree: TREE });
    expect([second!.queries, givenPart(second!).queries]).toEqual([[1], [0]]);
  });
});
