import { describe, expect, it } from 'vitest';
import { spellings } from '../../../src/postprocess/search/accents.ts';

const ways = (word: string, ...languages: string[]): string[] => spellings(word, languages, 40).map(({ word }) => word);

describe('other spellings of a word', () => {
  it.each([
    ['мед', 'ru', 'мёд'],
    ['cafe', 'fr', 'café'],
    ['resume', 'fr', 'résumé'],
    ['strasse', 'de', 'straße'],
    ['muller', 'de', 'müller'],
    ['mueller', 'de', 'müller'],
    ['accion', 'es', 'acción'],
    ['cesky', 'cs', 'český'],
    ['krakow', 'pl', 'kraków'],
    ['oeuvre', 'fr', 'œuvre'],
    ['αγαπη', 'el', 'αγάπη'],
    ['smorrebrod', 'nb', 'smørrebrød'],
    ['cafe', 'de', 'café'],
    ['resume', 'nl', 'résumé'],
    ['cliche', 'id', 'cliché'],
  ])('of %j in %s have accents: %j', (word, language, way) => {
    expect(ways(word, language)).toContain(way);
  });

  it.each([
    ['אדם', 'האדם'],
    ['ספר', 'בספר'],
    ['האדם', 'אדם'],
  ])('of %s in Hebrew: %s', (word, way) => {
    expect(ways(word, 'en', 'he')).toContain(way);
    expect(ways(word, 'en')).toEqual([]);
  });

  it.each([
    ['мёд', 'ru', ['мед']],
    ['café', 'fr', ['cafe']],
    ['cœur', 'fr', ['coeur']],
    ['straße', 'de', ['strasse']],
    ['müller', 'de', ['mueller']],
    ['smørrebrød', 'da', ['smoerrebroed']],
    ['příliš', 'cs', ['prilis']],
    ['tähti', 'fi', []],
    ['café', 'de', ['cafe']],
    ['café', 'da', ['cafe']],
    ['façade', 'sv', ['facade']],
    ['señor', 'zh', ['senor']],
    ['má', 'vi', []],
    ['chậm', 'vi', []],
  ])('of %j in %s have none: %j', (word, language, plain) => {
    expect(ways(word, language)).toEqual(plain);
  });

  it('have only the accents of loanwords in English', () => {
    expect(ways('cafe', 'en')).toEqual(['café']);
    expect(ways('muller', 'en')).toEqual(['mullér']);
    expect(ways('café', 'en')).toEqual(['cafe']);
    expect(ways('müller', 'en')).toEqual(['muller']);
  });

  it('have at most two accents', () => {
    expect(ways('lodz', 'pl')).toContain('łódz');
    expect(ways('lodz', 'pl')).not.toContain('łódź');
  });

  it('keep a letter that is a separate one in any of the languages', () => {
    expect(ways('schön', 'en')).toEqual(['schon']);
    expect(ways('schön', 'en', 'de')).toEqual(['schoen']);
  });

  it('are those of the languages of the pages, and name the language', () => {
    expect(ways('мед', 'fr', 'de', 'zh', '')).toEqual([]);
    expect(spellings('elan', ['de', 'fr'], 40).find(({ word }) => word === 'élan')?.language).toBe('fr');
  });

  it('are few, the most likely first, each once and never the word itself', () => {
    const all = spellings('internationalisations', ['fr', 'es', 'de', 'it', 'pt', 'cs'], 40);
    expect(all).toHaveLength(40);
    expect(new Set(all.map(({ word, language }) => `${word} ${language}`)).size).toBe(40);
    expect(all.some(({ word }) => word === 'internationalisations')).toBe(false);
    expect(ways('cafe', 'fr')[0]).toBe('café');
  });

  it('do not exist for very short words', () => {
    expect(ways('ou', 'fr')).toEqual([]);
  });
});
