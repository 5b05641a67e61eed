import { describe, expect, it } from 'vitest';
import {
  type BayesInput,
  corpusOf,
  evidence,
  heldOutLikelihoods,
  logLikelihoods,
  posteriors,
  rowsByFeature,
  trainBayes,
} from '../../src/learn/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { bagOf } from './bags.ts';

const corpus = corpusOf(['war war army', 'tea cake', 'tea', 'war tea zebra'].map(bagOf));
const [war, , , page] = [0, 1, 2, 3].map((i) => corpus.bags[i]!);
const id = (name: string): number => corpus.names.indexOf(name);
const FEATURES = Int32Array.from(['war', 'army', 'tea', 'cake'], id);

function input(smoothing = 1): BayesInput {
  const classes = [[war!], [corpus.bags[1]!, corpus.bags[2]!]];
  return { classes, features: FEATURES, size: corpus.names.length, smoothing };
}

describe('trainBayes', () => {
  it('estimates θ as Focus eq. (1) does, by hand', () => {
    // Class 0: war 2, army 1, 3 words; class 1: tea 2, cake 1, 3 words; |F| = 4. θ = (1 + n) / (4 + 3).
    const { logUnseen, excess } = trainBayes(input());
    expect(Math.exp(logUnseen[0]!)).toBeCloseTo(1 / 7, 12);
    expect(Math.exp(logUnseen[0]! + excess[0]!)).toBeCloseTo(3 / 7, 6);
    expect(Math.exp(logUnseen[1]! + excess[2 * 2 + 1]!)).toBeCloseTo(3 / 7, 6);
  });

  it('takes priors from the number of documents', () => {
    expect([...trainBayes(input()).logPrior].map(Math.exp)).toEqual([1 / 3, 2 / 3].map((p) => expect.closeTo(p, 12)));
  });

  it('sums θ to 1 over F for every class and smoothing', () => {
    for (const smoothing of [0.1, 0.5, 1]) {
      const { logUnseen, excess } = trainBayes(input(smoothing));
      for (const c of [0, 1]) {
        const sum = [0, 1, 2, 3].reduce((s, row) => s + Math.exp(logUnseen[c]! + excess[row * 2 + c]!), 0);
        expect(sum).toBeCloseTo(1, 6);
      }
    }
  });
});

describe('posteriors', () => {
  it('follows Bayes over the classes of a node, by hand', () => {
    // "war tea": 3/7·1/7 in both classes; zebra is outside F. So the priors decide.
    const model = trainBayes(input());
    const logs = logLikelihoods(model, page!, rowsByFeature(input()));
    expect(logs[0]).toBeCloseTo(Math.log(3 / 49), 6);
    const shares = posteriors(logs, model.logPrior);
    expect(shares[0]).toBeCloseTo(1 / 3, 6);
    expect(shares[0]! + shares[1]!).toBeCloseTo(1, 12);
  });

  it('neither overflows nor runs out on a long page', () => {
    expect([...posteriors([-1e5, -1e5 - Math.log(3)], [0, 0])]).toEqual([0.75, 0.25].map((p) => expect.closeTo(p, 9)));
  });
});

describe('evidence', () => {
  it('is the advantage over the best competitor per word', () => {
    expect(evidence([-10, -16, -13], 0, 6)).toBeCloseTo(0.5, 12);
    expect(evidence([-10, -16, -13], 1, 6)).toBeCloseTo(-1, 12);
  });

  it('is 0 for a page without words, and without a competitor', () => {
    expect(evidence([0, 0], 0, 0)).toBe(0);
    expect(evidence([-5], 0, 3)).toBe(0);
  });
});

describe('heldOutLikelihoods', () => {
  it('equals training again without the page', () => {
    const [, second] = heldOutLikelihoods(input(0.3));
    const left = { ...input(0.3), classes: [[war!], [corpus.bags[2]!]] };
    const again = logLikelihoods(trainBayes(left), corpus.bags[1]!, rowsByFeature(left));
    second![0]!.forEach((log, c) => {
      expect(log).toBeCloseTo(again[c]!, 5);
    });
  });

  it('does so for words of whatever frequency', () => {
    const frequent = Array.from({ length: 2000 }, (_, i): [string, number] => [`w${i}`, i]);
    const many = corpusOf([packCounts(frequent), bagOf('w1 w1024 w1999'), bagOf('other')]);
    const [long, short, other] = many.bags;
    const all = { features: Int32Array.from(many.names.keys()), size: many.names.length, smoothing: 0.3 };
    const held = heldOutLikelihoods({ ...all, classes: [[long!, short!], [other!]] })[0]![1]!;
    const left = { ...all, classes: [[long!], [other!]] };
    const again = logLikelihoods(trainBayes(left), short!, rowsByFeature(left));
    expect([...held]).toEqual([...again].map((log) => expect.closeTo(log, 4)));
  });

  it('leaves a class of one page with nothing', () => {
    expect(heldOutLikelihoods(input())[0]![0]![0]).toBe(Number.NEGATIVE_INFINITY);
  });
});
