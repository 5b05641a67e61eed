import { expect, test } from 'vitest';
import { equationText } from '../../src/convert/equation.ts';

test.each([
  [' EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ad(\\s\\up 9(えき),駅)', '駅'],
  ['eq \\o(\\s\\up 8(とう;きょう);東京)', '東京'],
  ['EQ \\o\\ac(東京,\\s\\up11(とうきょう))', '東京'],
  ['EQ \\f(1,2)', '1 2'],
  ['EQ x\\s\\up8(2)', 'x 2'],
  ['EQ \\o(\\s\\up 6(a))', 'a'],
])('the words of the formula %s are %s', (instruction, words) => {
  expect(equationText(instruction)).toBe(words);
});

test('other fields have no formula', () => {
  expect(equationText(' PAGEREF x')).toBeUndefined();
  expect(equationText('EQUAL')).toBeUndefined();
});
