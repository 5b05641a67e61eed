import { expect, it } from 'vitest';
import { findTopic } from '../../src/cli/find-topic.ts';
import { topicTree } from '../../src/core/index.ts';

const tree = topicTree([{ name: 'Việt Nam' }, { name: 'Brücken'.normalize('NFD') }], []);

it.each(['NFC', 'NFD'])('a topic is found by its name with its marks in whatever form: %s', (form) => {
  expect(findTopic(tree, 'Việt Nam'.normalize(form))).toBe('Việt Nam');
  expect(findTopic(tree, 'Brücken'.normalize(form))).toBe('Brücken'.normalize('NFD'));
  expect(() => findTopic(tree, 'Brucken')).toThrow('There is no topic');
});
