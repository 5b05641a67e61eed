import { describe, expect, test } from 'vitest';
import { chooseStandIns } from '../../src/meta/index.ts';
import { DATABASES, example, other, page } from './topics.ts';

/** Words on every page of the site, including the examples. */
const SITE = 'encyclopedia article contents navigation';
const candidate = (key: string, text: string) => ({ key, features: page(`${text} ${SITE} word${key}`) });
const FOREIGN = Array.from({ length: 9 }, (_, i) => candidate(`foreign ${i}`, `kitchen recipe flour number${i}`));
const NEAR = Array.from({ length: 6 }, (_, i) => candidate(`near ${i}`, `database index query number${i}`));
const EXAMPLES = DATABASES.map((given, i) => ({
  ...given,
  features: page(`database transaction index query ${SITE} own${i}`),
}));

const chosenFrom = (candidates: typeof FOREIGN, pages: Parameters<typeof chooseStandIns>[0]['pages'] = EXAMPLES) =>
  chooseStandIns({ pages, candidates, spaces: ['terms'] });

describe('stand-in pages for OTHERS', () => {
  test('are the third that is least similar to the examples, in their original order', () => {
    const mixed = [...NEAR, ...FOREIGN].toSorted((a, b) =>
      a.features.terms!.features < b.features.terms!.features ? -1 : 1,
    );
    const chosen = chosenFrom(mixed);
    expect(chosen).toHaveLength(5);
    expect(chosen.every((key) => key.startsWith('foreign'))).toBe(true);
    expect(chosen).toEqual(mixed.flatMap(({ key }) => (chosen.includes(key) ? [key] : [])));
  });

  test('are unlike the examples of all topics', () => {
    const cook = ['flour oven', 'recipe kitchen'].map((text, i) => example('cooking', `${text} ${SITE} cook${i}`));
    const stars = Array.from({ length: 5 }, (_, i) => candidate(`star ${i}`, `planet comet orbit number${i}`));
    const chosen = chosenFrom([...NEAR.slice(0, 5), ...FOREIGN.slice(0, 5), ...stars], [...EXAMPLES, ...cook]);
    expect(chosen.every((key) => key.startsWith('star'))).toBe(true);
    expect(chosen).toHaveLength(5);
  });

  test('are empty if the user named OTHERS that are less similar than every page', () => {
    const others = ['planet comet', 'river field', 'flour oven'].map((text) => other(`${text} ${SITE}`));
    expect(chosenFrom(NEAR)).toHaveLength(2);
    expect(chosenFrom(NEAR, [...EXAMPLES, ...others])).toEqual([]);
    expect(chosenFrom([...NEAR, ...FOREIGN], [...EXAMPLES, ...others])).toHaveLength(5);
  });

  test('are empty for no pages', () => {
    expect(chosenFrom([])).toEqual([]);
  });
});
