import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BingoError } from '../../src/core/index.ts';
import { classify, decodeModels, encodeModels, prepareClassifier } from '../../src/meta/index.ts';
import { DATABASES, EVERYDAY, example, page, train } from './topics.ts';

const { models } = train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]);
const bytes = encodeModels(models);

describe('encodeModels and decodeModels', () => {
  it('restore the models, whatever the words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 6 }), (words) => {
        const text = words.map((w) => w.replace(/\s/g, '_')).join(' ');
        const trained = train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY, example('databases', text)]);
        expect(decodeModels(encodeModels(trained.models))).toEqual(trained.models);
      }),
      { numRuns: 20 },
    );
  });

  it('lead to the same verdicts as the original models', () => {
    const features = page('database index tea');
    const decoded = classify(prepareClassifier(decodeModels(bytes)), features, 'weighted');
    expect(decoded).toEqual(classify(prepareClassifier(models), features, 'weighted'));
  });

  it('work across threads', () => {
    expect(decodeModels(structuredClone(bytes))).toEqual(structuredClone(models));
  });

  it('read from the middle of a larger buffer', () => {
    const wide = new Uint8Array(bytes.length + 7);
    wide.set(bytes, 3);
    expect(decodeModels(wide.subarray(3, 3 + bytes.length))).toEqual(models);
  });

  it('read a model of the previous version, which still gives the same verdict', () => {
    const older = decodeModels(readFileSync(new URL('model-version-1.bin', import.meta.url)));
    const { topic, scores } = classify(prepareClassifier(older), page('database index query tea'), 'weighted');
    expect(topic).toBe('databases');
    expect(scores.map(({ bayes }) => bayes)).toEqual([0.867049697555531, 0.012998193933806607]);
    expect(scores.map(({ bayesCalibrated }) => bayesCalibrated)).toEqual([2.1022181730853977, -0.31574800204020104]);
    expect(scores.map(({ calibrated }) => calibrated)).toEqual([3.4268316195070736, -2.8596565310124378]);
  });

  it('reject damaged bytes with a BingoError', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = bytes.slice();
        damaged[at]! ^= change;
        expect(() => decodeModels(damaged)).toThrow(BingoError);
      }),
      { numRuns: 60 },
    );
  });

  it('reject a model whose version byte alone was changed', () => {
    for (let version = 0; version < 256; version++) {
      if (version === bytes[4]) continue;
      const damaged = bytes.slice();
      damaged[4] = version;
      expect(() => decodeModels(damaged)).toThrow(BingoError);
    }
  });

  it('reject truncated bytes and bytes that are not a model', () => {
    for (const cut of [0, 3, 8, 40, bytes.length - 1])
      expect(() => decodeModels(bytes.subarray(0, cut))).toThrow(BingoError);
    expect(() => decodeModels(new TextEncoder().encode('<!DOCTYPE html>'))).toThrow(/Expected a model of version 2/);
  });
});
