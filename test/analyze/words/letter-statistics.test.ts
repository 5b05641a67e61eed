import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { eld } from 'eld/small';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type LetterStatistics,
  packStatistics,
  STATISTICS_FILE,
  unpackStatistics,
} from '../../../src/analyze/words/letter-statistics.ts';
import { packageFile } from '../../../src/kit/index.ts';

const given = (await import(new URL('../ngrams/small.js', import.meta.resolve('eld/small')).href)) as {
  readonly ngramsData: LetterStatistics;
};
const built = unpackStatistics(readFileSync(packageFile(`dist/${STATISTICS_FILE}`)));
const { createEld } = createRequire(import.meta.url)(
  fileURLToPath(new URL('../languageDetector.js', import.meta.resolve('eld/small'))),
);

describe('the built statistics of languages', () => {
  test('equal those of the package for each letter sequence', () => {
    const { type, languages, ngrams } = given.ngramsData;
    expect({ type: built.type, languages: built.languages }).toEqual({ type, languages });
    const runs = Object.keys(ngrams);
    expect(runs.length).toBeGreaterThan(50_000);
    const wrong = runs.filter((run) => JSON.stringify(built.ngrams[run]) !== JSON.stringify(ngrams[run]));
    expect(wrong).toEqual([]);
  });

  test('have no entry for other letter sequences', () => {
    fc.assert(
      fc.property(fc.string(), (run) => {
        expect(built.ngrams[run]).toEqual(
          Object.hasOwn(given.ngramsData.ngrams, run) ? given.ngramsData.ngrams[run] : undefined,
        );
      }),
    );
  });

  test('lead to the same languages', () => {
    const { instance, loadData } = createEld();
    loadData(built);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 }), (words) => {
        const [own, theirs] = [instance, eld].map((one) => one.detect(words.join(' ')));
        expect([own.language, own.isReliable(), own.getScores()]).toEqual([
          theirs.language,
          theirs.isReliable(),
          theirs.getScores(),
        ]);
      }),
    );
  });

  test('cannot be built if a value needs more than a byte', () => {
    expect(() => packStatistics({ type: 'x', languages: { 0: 'en' }, ngrams: { a: { 0: 256 } } })).toThrow(RangeError);
  });
});

const WORDS = (
  'bicycle wheel der Sattel und die Kette les roues du vélo la bicicleta roja kerékpár велосипед и колесо ποδήλατο ' +
  '自転車 자전거 xe đạp rowerem sykkel pyörä bisiklet kolo'
).split(' ');
