import { describe, expect, it } from 'vitest';
import { xiAlpha } from '../../src/learn/index.ts';

const options = { rho: 2, rSquare: 1 };

describe('xiAlpha', () => {
  it('counts a row as doubtful if ρ·α·R² + ξ reaches 1 (checked by hand)', () => {
    // 2·0.2 + 0 = .4 sure; 2·0.3 + .5 = 1.1 doubtful; 2·0.1 = .2 sure | 2·0.5 = 1 doubtful; 0 sure
    const alphas = Float64Array.of(0.2, 0.3, 0.1, 0.5, 0);
    const slacks = Float64Array.of(0, 0.5, 0, 0, 0);
    const y = Int8Array.of(1, 1, 1, -1, -1);
    expect(xiAlpha({ alphas, slacks }, y, options)).toEqual({ precision: 2 / 3, recall: 2 / 3 });
  });

  it('is undefined, not perfect, if every positive is doubtful and no negative is', () => {
    const sure = { alphas: Float64Array.of(1, 0), slacks: Float64Array.of(1, 0) };
    expect(xiAlpha(sure, Int8Array.of(1, -1), options)).toEqual({ precision: Number.NaN, recall: 0 });
  });

  it('ignores rows of cost 0', () => {
    const solution = { alphas: Float64Array.of(0, 0, 0), slacks: Float64Array.of(0, 5, 0) };
    const C = Float64Array.of(1, 0, 1);
    expect(xiAlpha(solution, Int8Array.of(1, 1, -1), { ...options, C })).toEqual({ precision: 1, recall: 1 });
  });
});
