import { describe, expect, it } from 'vitest';
import type { TermContribution } from '../../../src/meta/index.ts';
import { formsOf, termList } from '../../../src/workbench/explain/term-name.ts';

const term = (feature: string, contribution: number, space: TermContribution['space'] = 'terms'): TermContribution => {
  return { space, feature, contribution };
};

describe('deciding terms', () => {
  it('are shown as words of the page, the strongest first, forms of one word together', () => {
    const terms = [term('databas', 0.3), term('log', 0.5), term('database', 0.4)];
    const forms = formsOf([terms], ['Databases and logs: the database has a log, a log'], []);
    expect(termList(terms, forms, 1)).toBe('database 0.7, log 0.5');
  });

  it('are whole words if features are character pairs', () => {
    const terms = [term('享有', 0.3), term('を享', 0.25), term('デー', 0.2), term('ータ', 0.2)];
    expect(termList(terms, formsOf([terms], ['データを享有する'], ['ja']), 2)).toBe('データ 0.40, 享有 0.30');
  });

  it('name their feature space if it is not the default', () => {
    const terms = [term('log', 0.5), term('log', 0.25, 'anchors'), term('log recoveri', 0.125, 'pairs')];
    expect(termList(terms, formsOf([terms], ['logs'], []), 2)).toBe('logs 0.50, log (anchors) 0.25, log recoveri 0.13');
    expect(termList([], new Map(), 2)).toBe('none');
  });
});
