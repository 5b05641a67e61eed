import { describe, expect, it } from 'vitest';
import {
  type BayesInput,
  type BayesModel,
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

/** θ(c,t), computed from the stored model. */
function thetaOf({ logUnseen, starts, holders, excess }: BayesModel, name: string, c: number): number {
  const row = FEATURES.indexOf(id(name));
  const entry = holders.indexOf(c, starts[row]);
  return Math.exp(logUnseen[c]! + (entry >= 0 && entry < starts[row + 1]! ? excess[entry]! : 0));
}

describe('trainBayes', () => {
  it('estimates θ by Focus eq. (1), checked by hand', () => {
    // Class 0: war 2, army 1, 3 words; class 1: tea 2, cake 1, 3 words; |F| = 4. θ = (1 + n) / (4 + 3).
    const model = trainBayes(input());
    expect(Math.exp(model.logUnseen[0]!)).toBeCloseTo(1 / 7, 12);
    expect(thetaOf(model, 'war', 0)).toBeCloseTo(3 / 7, 6);
    expect(thetaOf(model, 'tea', 1)).toBeCloseTo(3 / 7, 6);
    expect(thetaOf(model, 'tea', 0)).toBeCloseTo(1 / 7, 6);
  });

  it('keeps only classes that hold a feature, however many there are', () => {
    const empty = Array.from({ length: 70_000 }, () => []);
    for (const classes of [[[war!]], [...empty, [war!]]]) {
      const { starts, holders, excess } = trainBayes({ ...input(), classes });
      expect([...starts]).toEqual([0, 1, 2, 2, 2]);
      expect([...holders]).toEqual([classes.length - 1, classes.length - 1]);
      expect([...excess]).toEqual([Math.log1p(2), Math.log1p(1)].map(Math.fround));
    }
  });

  it('takes priors from the number of documents', () => {
    expect([...trainBayes(input()).logPrior].map(Math.exp)).toEqual([1 / 3, 2 / 3].map((p) => expect.closeTo(p, 12)));
  });

  it('sums θ to 1 over F for every class and smoothing', () => {
    for (const smoothing of [0.1, 0.5, 1]) {
      const model = trainBayes(input(smoothing));
      for (const c of [0, 1]) {
        const sum = ['war', 'army', 'tea', 'cake'].reduce((s, name) => s + thetaOf(model, name, c), 0);
        expect(sum).toBeCloseTo(1, 6);
      }
    }
  });
});

describe('posteriors', () => {
  it('applies Bayes over the classes of a node, checked by hand', () => {
    // "war tea": 3/7·1/7 in both classes; zebra is outside F. The priors decide.
    const model = trainBayes(input());
    const logs = logLikelihoods(model, page!, rowsByFeature(input()));
    expect(logs[0]).toBeCloseTo(Math.log(3 / 49), 6);
    const shares = posteriors(logs, model.logPrior);
    expect(shares[0]).toBeCloseTo(1 / 3, 6);
    expect(shares[0]! + shares[1]!).toBeCloseTo(1, 12);
  });

  it('neither overflows nor underflows on a long page', () => {
    expect([...posteriors([-1e5, -1e5 - Math.log(3)], [0, 0])]).toEqual([0.75, 0.25].map((p) => expect.closeTo(p, 9)));
  });
});

describe('evidence', () => {
  it('is the advantage over the best competitor per word', () => {
    expect([...evidence(Float64Array.of(-10, -16, -13), 6)]).toEqual([0.5, -1, -0.5]);
  });

  it('is 0 for the best of the classes if two tie', () => {
    expect([...evidence(Float64Array.of(-7, -4, -4), 3)]).toEqual([-1, 0, 0]);
  });

  it('is 0 for a page without words, and without a competitor', () => {
    expect([...evidence(Float64Array.of(-1, -2), 0)]).toEqual([0, 0]);
    expect([...evidence(Float64Array.of(-5), 3)]).toEqual([0]);
  });
});

describe('heldOutLikelihoods', () => {
  it('equals training without the page', () => {
    const held = heldOutLikelihoods(input(0.3))(corpus.bags[1]!, 1);
    const left = { ...input(0.3), classes: [[war!], [corpus.bags[2]!]] };
    const again = logLikelihoods(trainBayes(left), corpus.bags[1]!, rowsByFeature(left));
    held.forEach((log, c) => {
      expect(log).toBeCloseTo(again[c]!, 5);
    });
  });

  it('does so for words of any frequency', () => {
    const frequent = Array.from({ length: 2000 }, (_, i): [string, number] => [`w${i}`, i]);
    const many = corpusOf([packCounts(frequent), bagOf('w1 w1024 w1999'), bagOf('other')]);
    const [long, short, other] = many.bags;
    const all = { features: Int32Array.from(many.names.keys()), size: many.names.length, smoothing: 0.3 };
    const held = heldOutLikelihoods({ ...all, classes: [[long!, short!], [other!]] })(short!, 0);
    const left = { ...all, classes: [[long!], [other!]] };
    const again = logLikelihoods(trainBayes(left), short!, rowsByFeature(left));
    expect([...held]).toEqual([...again].map((log) => expect.closeTo(log, 4)));
  });

  it('leaves an empty class if its only page is removed', () => {
    expect(heldOutLikelihoods(input())(war!, 0)[0]).toBe(Number.NEGATIVE_INFINITY);
  });
});
