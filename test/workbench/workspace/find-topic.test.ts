import { expect, it } from 'vitest';
import { type TopicId, topicTree } from '../../../src/core/index.ts';
import { findTopic, topicsLike } from '../../../src/workbench/workspace/find-topic.ts';

const tree = topicTree([{ name: 'Việt Nam' }, { name: 'Brücken'.normalize('NFD') }], []);

it.each(['NFC', 'NFD'])('a topic is found by name, with accents in any form: %s', (form) => {
  expect(findTopic(tree, 'Việt Nam'.normalize(form))).toBe('Việt Nam');
  expect(findTopic(tree, 'Brücken'.normalize(form))).toBe('Brücken'.normalize('NFD'));
  expect(() => findTopic(tree, 'Brucken')).toThrow('Unknown topic');
});

it.each(['', '/'])('%j names no topic, and does not select all topics', (text) => {
  expect(() => findTopic(tree, text)).toThrow(`Unknown topic "${text}".`);
});

const ids = (n: number) => Array.from({ length: n }, (_, i) => `birds/kind ${i + 1}` as TopicId);

it('a part of a path suggests the topics that contain it', () => {
  const some = ['birds/owls', 'birds/owls/barn', 'fish'] as TopicId[];
  expect(topicsLike('Barn', some)).toBe('Did you mean "birds/owls/barn"?');
  expect(topicsLike('owls', some)).toBe('Did you mean one of these: birds/owls, birds/owls/barn?');
  expect(topicsLike('fsh', some)).toBe('Did you mean "fish"?');
});

it('an error names ten of hundreds of topics', () => {
  expect(topicsLike('', ids(3))).toBe('There are: birds/kind 1, birds/kind 2, birds/kind 3.');
  expect(topicsLike('', ids(400))).toMatch(/^There are: birds\/kind 1, .*, birds\/kind 10 and 390 more topics\.$/);
  expect(topicsLike('kind', ids(400))).toMatch(/birds\/kind 10 and 390 more topics\?$/);
});
