// Portals load this file as a script, too: it has no imports and uses only what browsers have.

/**
 * Light stemmers for Czech, Slovak and Polish. They remove the longest ending of a case, person or participle that
 * leaves enough letters, then suffixes that derive words. The last consonant changes with the ending (*kniha*, *v
 * knize*), so its forms are merged. An *e* or *o* that appears only in some forms (*orel*, *orla*) is removed. The
 * endings were chosen with the word lists of the free spelling dictionaries.
 */
interface Language {
  readonly endings: ReadonlySet<string>;
  readonly makers: ReadonlySet<string>;
  /** Replacements of the end of a stem, in this order. */
  readonly ends: readonly (readonly [end: string, by: string])[];
  /** Replacements of the last vowel of a stem. A vowel without an entry is removed. */
  readonly vowel: RegExp;
  readonly vowels: Readonly<Record<string, string>>;
}

/** Minimum number of letters left by an ending, and by a derivational suffix. */
const LEAST = { ending: 3, maker: 4 };

const CZECH: Language = {
  endings: set(
    'atech ětem etem atům ovými ového ovému ech ich ích ého ěmi emi ému ěte ete ěti eti ího iho ími ímu imu ách ata aty ých ama íma ýma ami ové ovi ými ' +
      'eme íme áme ete íte áte ila ilo ili ily ala alo ali aly em es ém ím ům at ám os us ým mi ou eš íš áš il al it a e i o u ů y á é í ý ě',
  ),
  makers: set('ovateln ovav ovan ovat oval ován ost uj ova iv av ov in ův án en'),
  ends: pairs('izm:ism čt:ck št:sk c:k č:k z:h ž:h ř:r ď:d ť:t ň:n'),
  vowel: /(?<=.{2})e(?=[^aeiouyáéíóúůýě]$)|ů(?=.$)/,
  vowels: { ů: 'o' },
};

const SLOVAK: Language = {
  endings: set(
    'atách atami iach iami ovia ovci ovho ovmu ách ami ata ého ému ých ými ích ími och omi ovi ove iam iou ieho iemu ej eme ete ime ite íme íte ame áme ' +
      'áte ate ala alo ali ila ilo ili úc iac ou om am ám ov mi ia ie iu ym ým ím em eho emu at íš eš áš al il ať iť a e i o u y á é í ý ú ô ä',
  ),
  makers: set('ovan oval ovať osť ost uj aj ov in av áv an en'),
  ends: pairs('i: izm:ism c:k č:k z:h ž:h ď:d ť:t ň:n ľ:l'),
  vowel: /(?<=.{2})(?:ie|ia|iu|[oeáéíúô])(?=[^aeiouyáéíóúýäô]$)/,
  vowels: { á: 'a', é: 'e', í: 'i', ú: 'u', ô: 'o' },
};

const POLISH: Language = {
  endings: set(
    'iami iach iego iemu owie owych owymi owego owemu owym owa owe owy owej ową owo ymi imi ami ach ego emu ych ich owi iom iej ował owała owało owali ' +
      'owały ować ują uje ujesz ujemy ujecie owano ała ało ali ały iła iło ili iły yła yło yli yły cie esz emy isz imy ysz amy asz ium ów om em im ym ią ' +
      'ię ie iu ia io ej iem um ać eć ić yć ał ił ył a ą e ę i o u y ó',
  ),
  makers: set('iejsz ejsz ości ość ow uj aj ąc yw iw'),
  ends: pairs('i: anin:an ś:s ć:t ń:n ź:z rz:r ł:l dz:d c:k źn:zn'),
  vowel: /(?<=.{2})i?e(?=[^aeiouyąęó]$)|ó(?=[^aeiouyąęó]{1,2}$)/,
  vowels: { ó: 'o' },
};

export function czechStem(word: string): string {
  return stemOf(word, CZECH);
}

export function slovakStem(word: string): string {
  return stemOf(word, SLOVAK);
}

export function polishStem(word: string): string {
  return stemOf(word, POLISH);
}

function stemOf(word: string, { endings, makers, ends, vowel, vowels }: Language): string {
  let stem = without(without(word, endings, LEAST.ending), makers, LEAST.maker);
  for (const [end, by] of ends) if (stem.endsWith(end)) stem = stem.slice(0, -end.length) + by;
  return stem.replace(vowel, (found) => vowels[found] ?? '');
}

/** Removes the longest of some endings that leaves enough letters. */
function without(word: string, endings: ReadonlySet<string>, least: number): string {
  for (let at = Math.max(least, word.length - LONGEST); at < word.length; at++)
    if (endings.has(word.slice(at))) return word.slice(0, at);
  return word;
}

const LONGEST = 7;

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function pairs(list: string): readonly (readonly [string, string])[] {
  return list.split(' ').map((pair) => {
    const [end = '', by = ''] = pair.split(':');
    return [end, by] as const;
  });
}
