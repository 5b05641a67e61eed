import { describe, expect, test } from 'vitest';
import {
  isForAllShards,
  isForSpread,
  type Judgement,
  parseSteerCommand,
  parseTopicId,
  type SteerCommand,
  siteKey,
} from '../../src/core/index.ts';

const JUDGEMENT: Judgement = {
  key: 'https://a.example/',
  sequence: 7,
  title: 'A',
  use: 'example',
  topic: parseTopicId('databases'),
};

describe('a command from another process', () => {
  test.each<SteerCommand>([
    { kind: 'pause' },
    { kind: 'resume' },
    { kind: 'end-learning' },
    { kind: 'set-budget', budget: 1200 },
    { kind: 'lock-host', host: 'shop.example:8080' },
    { kind: 'mark-topic', topic: parseTopicId('databases/recovery'), good: false },
    { kind: 'note-mirror', host: 'copy.example', original: 'book.example:8080' },
    { kind: 'set-ordering', ordering: 'breadth-first' },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, without: [0, 3] } },
    { kind: 'judge-page', judgement: JUDGEMENT },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, key: `https://a.example/${'x'.repeat(15_000)}` } },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, key: siteKey('shop.example:8080'), use: 'bad-site' } },
    { kind: 'begin-learning' },
    { kind: 'continue-barren' },
    { kind: 'set-limit', limit: 'time', value: 0 },
  ])('is read as it was written: %j', (command) => {
    expect(parseSteerCommand(JSON.parse(JSON.stringify(command)))).toEqual(command);
  });

  test.each([
    undefined,
    null,
    'pause',
    {},
    { kind: 'delete-everything' },
    { kind: 'set-budget', budget: -1 },
    { kind: 'set-budget', budget: '1200' },
    { kind: 'lock-host', host: '' },
    { kind: 'note-mirror', host: 'copy.example' },
    { kind: 'lock-host', host: 'a b\u001b[2J' },
    { kind: 'mark-topic', topic: 7, good: true },
    { kind: 'set-ordering', ordering: 'alphabetical' },
    { kind: 'judge-page' },
    { kind: 'set-limit', limit: 'learn', value: 0 },
    { kind: 'set-limit', limit: 'parallel', value: 10_000 },
    { kind: 'set-limit', limit: 'sky', value: 1 },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, use: 'burn' } },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, use: 'bad-site' } },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, key: siteKey('a b\u001b[2J'), use: 'good-site' } },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, without: ['1'] } },
    { kind: 'judge-page', judgement: { ...JUDGEMENT, key: 'x'.repeat(16_000) } },
  ])('rejects what is not a command: %j', (value) => {
    expect(parseSteerCommand(value)).toBeUndefined();
  });

  test('keeps only the known fields', () => {
    expect(parseSteerCommand({ kind: 'pause', budget: 3, host: 'x' })).toEqual({ kind: 'pause' });
  });
});

describe('a spread crawl', () => {
  test.each<SteerCommand>([
    { kind: 'set-ordering', ordering: 'breadth-first' },
    { kind: 'set-limit', limit: 'tunnel', value: 1 },
    { kind: 'set-limit', limit: 'parallel', value: 8 },
    { kind: 'judge-page', judgement: JUDGEMENT },
  ])('obeys what every shard can adopt: %j', (command) => {
    expect([isForSpread(command), isForAllShards(command)]).toEqual([true, true]);
  });

  test.each<SteerCommand>([{ kind: 'pause' }, { kind: 'resume' }, { kind: 'set-budget', budget: 5 }])(
    'obeys what concerns the whole, and no shard journals it: %j',
    (command) => {
      expect([isForSpread(command), isForAllShards(command)]).toEqual([true, false]);
    },
  );

  test.each<SteerCommand>([
    { kind: 'begin-learning' },
    { kind: 'set-limit', limit: 'learn', value: 5 },
    { kind: 'set-limit', limit: 'time', value: 5 },
    { kind: 'end-questions' },
  ])('obeys nothing that needs one process: %j', (command) => {
    expect(isForSpread(command)).toBe(false);
  });
});
