// What a person types, read as a search of the store reads it, as far as an index of words alone can answer.
(() => {
  const { foldCase, wordsOf } = globalThis.bingoWords;
  /** A phrase with what stands before it, or a word. */
  const PIECE =
    /(?<sign>[-+]?)(?<name>(?:site|(?:file)?type|topic|since|until|(?:in)?title):)?["“„«](?<phrase>[^"”»“„«]*)["”»“]?|(?<word>\S+)/giu;
  /** What has a minus before it must not be there; an asterisk stands for the rest of a word. */
  const SIGN = /^[-+](?=[\p{L}\p{N}])/u;
  const BEGINNING = /^[\p{L}\p{M}\p{N}]{2,}\*$/u;
  const OF_PAGES = /^(?:site|(?:file)?type|topic|since|until):(?=[\p{L}\p{N}.*])/iu;
  const OF_TITLES = /^(?:in)?title:(?=[\p{L}\p{N}])/iu;

  /**
   * What is asked for: `wanted`, each with the words of which any will do, and whether it must be there; the words that are ruled out; and
   * what was not taken as it may have been meant, as sentences.
   */
  function readQuery(text, languages) {
    const { parts, notes } = partsOf(text);
    const asked = parts.filter(({ isBarred }) => !isBarred);
    const words = wordsOf(asked.map((part) => part.text).join(' '), languages).length;
    const read = (part) =>
      wordsOf(part.text, languages, words).map((word) =>
        part.isBeginning ? { ...word, beginning: foldCase(part.text) } : word,
      );
    const wanted = [];
    for (const part of asked) {
      const found = read(part);
      if (part.isAlternative && wanted.length > 0) wanted.at(-1).ways.push(...found);
      else wanted.push(...found.map((word) => ({ ways: [word], need: part.need })));
      if (part.isAlternative && part.need !== undefined && wanted.length > 0) wanted.at(-1).need ??= part.need;
    }
    const barred = parts.filter(({ isBarred }) => isBarred).flatMap(read);
    return { wanted: onceEach(wanted), barred, notes: [...notes] };
  }

  /** `OR` joins two parts, `AND` requires both, `NOT` is a minus; parentheses say nothing more, but behind a minus. */
  function partsOf(text) {
    const parts = [];
    const notes = new Set();
    let joint = '';
    let isBarredGroup = false;
    for (const { groups } of text.normalize('NFC').matchAll(PIECE)) {
      const { phrase } = groups;
      let word = groups.word ?? '';
      if (phrase === undefined && isJoint(word, parts)) {
        joint = word === '|' ? 'OR' : word;
        if (joint === 'AND') parts.at(-1).need ??= 'always';
        continue;
      }
      isBarredGroup ||= word.startsWith('-(');
      const isClosed = word.endsWith(')') && !/[^(]\(/.test(word);
      word = word.replace(/^-?\(+/, '').replace(isClosed ? /\)+$/ : /$^/, '');
      const sign = groups.sign || (SIGN.exec(word)?.[0] ?? '');
      const isBarred = sign === '-' || joint === 'NOT' || isBarredGroup;
      const part = phrase === undefined ? wordPart(word.replace(SIGN, ''), notes) : phrasePart(groups, isBarred, notes);
      if (part !== undefined) {
        const need = sign === '+' || joint === 'AND' ? 'always' : part.need;
        parts.push({ ...part, need, isBarred, isAlternative: joint === 'OR' && parts.at(-1)?.isBarred === false });
      }
      joint = '';
      if (isClosed) isBarredGroup = false;
    }
    return { parts, notes };
  }

  function isJoint(word, parts) {
    return word === 'NOT' || word === '|' || (parts.length > 0 && (word === 'OR' || word === 'AND'));
  }

  function wordPart(word, notes) {
    const name = (OF_PAGES.exec(word) ?? OF_TITLES.exec(word))?.[0];
    if (name !== undefined) notes.add(unknown(name));
    if (OF_PAGES.test(word)) return undefined;
    const text = word.replace(OF_TITLES, '');
    const isBeginning = BEGINNING.test(text);
    return { text: isBeginning ? text.slice(0, -1) : text, isBeginning };
  }

  /** Its words must be there, but those that no page has are stop words. */
  function phrasePart({ phrase, name }, isBarred, notes) {
    if (name !== undefined) notes.add(unknown(name));
    if (name !== undefined && !/title/i.test(name)) return undefined;
    if (!/[\p{L}\p{N}][^\p{L}\p{M}\p{N}]+[\p{L}\p{N}]/u.test(phrase)) return { text: phrase, need: 'always' };
    notes.add(isBarred ? 'searchNoteNoPhrase' : 'searchNotePhrase');
    return isBarred ? undefined : { text: phrase, need: 'where known' };
  }

  function unknown(name) {
    return `searchNoteField ${name.toLowerCase()}`;
  }

  function onceEach(wanted) {
    const kept = new Map();
    for (const { ways, need } of wanted) {
      const key = JSON.stringify(ways.map(({ stems, beginning }) => [stems[0], beginning]));
      kept.set(key, { ways, need: kept.get(key)?.need ?? need });
    }
    return [...kept.values()];
  }

  globalThis.bingoQuery = { readQuery };
})();
