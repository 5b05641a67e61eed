import { expect, test } from 'vitest';
import { topicName, whyBadTopicName } from '../../../src/workbench/index.ts';

test.each(['\u200b', 'cyc\u200bling', '\u200d', 'a\u202eb', '\ufeffname', 'soft\u00adhyphen', '\u3164'])(
  'a topic name with invisible characters is refused, and imported names lose them: %j',
  (name) => {
    expect(whyBadTopicName(name)).toBeDefined();
    expect(whyBadTopicName(topicName(name))).toBeUndefined();
  },
);

test.each(['cycling', 'می‌خواهم', 'Cafés & bars', '日本', 'C++', '!'])('a visible topic name is allowed: %s', (name) => {
  expect(whyBadTopicName(name)).toBeUndefined();
  expect(topicName(name)).toBe(name);
});
