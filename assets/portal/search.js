// Search over the files beside this page. They are scripts that hand over their data, because a page that was opened from
// a disk may load scripts but may not fetch files.
(() => {
  const { denseIn, foldCase, placeOf, placesOf, shorterStemsOf, stemsOf } = globalThis.bingoWords;
  const { readQuery } = globalThis.bingoQuery;
  const AT_ONCE = 20;
  /** Words that stand for a beginning at the most. */
  const MOST_WORDS = 300;
  const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
  const [form, input, topic] = ['search', 'q', 'topic'].map((id) => document.getElementById(id));
  const [status, heading, list, more, narrowing] = ['status', 'heading', 'results', 'more', 'facets'].map((id) =>
    document.getElementById(id),
  );

  let manifest;
  /** By name: values, and by page the place of its value. */
  let facets;
  const files = new Map();
  const shards = new Map();
  const blocks = new Map();

  globalThis.bingoPortal = {
    manifest: (content) => {
      manifest = content;
    },
    shard: (number, text) => {
      const lines = text.split('\n').map((line) => line.split('\t'));
      shards.set(number, new Map(lines));
    },
    pages: (number, rows) => {
      blocks.set(number, rows);
    },
    facets: (content) => {
      facets = content;
    },
  };

  function load(file) {
    const known = files.get(file);
    if (known !== undefined) return known;
    const loading = new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = file;
      script.onload = resolve;
      script.onerror = () => {
        files.delete(file);
        reject(new Error(`The file ${file} of this portal is missing.`));
      };
      document.head.append(script);
    });
    files.set(file, loading);
    return loading;
  }

  /** The shard whose first stem is the last that does not come behind `stem`. */
  function shardOf(stem) {
    const place = placeOf(stem);
    let [low, high] = [0, manifest.shards.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (manifest.shards[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** With all stems that begin so. A Chinese character alone is a word, too: it stands for all pairs that begin with it. */
  async function withLonger(word) {
    const [stem] = word.stems;
    const beginning = word.beginning ?? (/^\p{Script=Han}$/u.test(stem) ? stem : undefined);
    if (beginning === undefined || manifest.shards.length === 0) return word;
    const longer = [];
    for (const place of placesOf(beginning, manifest.languages)) {
      const first = shardOf(place);
      for (let number = first; number === first || manifest.shards[number]?.startsWith(place); number++) {
        await load(`index/${number}.js`);
        for (const [other] of shards.get(number) ?? []) if (placeOf(other).startsWith(place)) longer.push(other);
      }
    }
    const kept = [...new Set(longer)].sort((a, b) => a.length - b.length).slice(0, MOST_WORDS);
    return { ...word, stems: [...new Set([...word.stems, ...kept, ...shorterStemsOf(beginning)])] };
  }

  /** All ways of what is wanted as one word. */
  async function joined({ ways, need }) {
    const words = await Promise.all(ways.map(withLonger));
    return { stems: words.flatMap(({ stems }) => stems), spelled: words.flatMap(({ spelled }) => spelled), need };
  }

  async function postingsOf(stem) {
    if (manifest.shards.length === 0) return '';
    const number = shardOf(stem);
    await load(`index/${number}.js`);
    return shards.get(number).get(stem) ?? '';
  }

  /** `1aC3B` is page 46 with weight 3, then page 49 with weight 2: steps in base 36, weights as letters. */
  function* decode(postings) {
    let page = -1;
    for (const [, step, weight] of postings.matchAll(/([0-9a-z]+)([A-Z])/g)) {
      page += Number.parseInt(step, 36);
      yield [page, weight.charCodeAt(0) - 64];
    }
  }

  /** Pages by how many of the words they hold, then by how many of these as they were typed, then by the weight of all. */
  async function find(words, ranges, barred) {
    const scores = new Float64Array(manifest.pages);
    const held = new Uint8Array(manifest.pages);
    const typed = new Uint8Array(manifest.pages);
    const needed = new Uint8Array(manifest.pages);
    /** The last word that a page was found by. */
    const latestWord = new Int16Array(manifest.pages).fill(-1);
    const all = await Promise.all(
      words.map(({ stems, spelled }) => Promise.all([...stems, ...spelled].map(postingsOf))),
    );
    for (const [word, postingsOfWord] of all.entries()) {
      for (const [i, postings] of postingsOfWord.entries()) {
        const frequency = (postings.match(/[A-Z]/g) ?? []).length;
        const rarity = Math.log(1 + manifest.pages / Math.max(1, frequency));
        for (const [page, weight] of decode(postings)) {
          scores[page] += weight * rarity;
          if (latestWord[page] === word) continue;
          latestWord[page] = word;
          held[page]++;
          if (i < words[word].stems.length) typed[page]++;
          if (words[word].need !== undefined) needed[page]++;
        }
      }
    }
    const ruledOut = await Promise.all(barred.flatMap(({ stems, spelled }) => [...stems, ...spelled].map(postingsOf)));
    for (const postings of ruledOut) for (const [page] of decode(postings)) held[page] = 0;
    const isKnown = all.map((postingsOfWord) => postingsOfWord.some((postings) => postings !== ''));
    const needs = words.filter(({ need }, i) => need === 'always' || (need !== undefined && isKnown[i])).length;
    const pages = [];
    for (let at = 0; at < ranges.length; at += 2)
      for (let page = ranges[at]; page < ranges[at + 1]; page++)
        if (held[page] > 0 && needed[page] === needs) pages.push(page);
    pages.sort((a, b) => held[b] - held[a] || typed[b] - typed[a] || scores[b] - scores[a] || a - b);
    const known = isKnown.filter(Boolean).length;
    const heaviest = pages.reduce((most, page) => Math.max(most, scores[page]), 1e-9);
    const rank = (page) => held[page] + (typed[page] + scores[page] / heaviest) / (words.length + 1);
    /** The number by which the list is ordered: 1 for the first page. */
    const scoreOf = (page) => rank(page) / rank(pages[0]);
    return { pages, scoreOf, known, complete: pages.filter((page) => held[page] === known).length };
  }

  async function rowOf(page) {
    const number = Math.floor(page / manifest.block);
    await load(`pages/${number}.js`);
    return blocks.get(number)[page % manifest.block];
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className !== undefined) made.className = className;
    return made;
  }

  /** Whoever reads aloud is told that this is not in the language of the page. */
  function speak(part, language) {
    if (language !== '' && language !== document.documentElement.lang.split('-')[0]) part.lang = language;
  }

  function marked(text, words, language) {
    const stems = new Set(words.flatMap(({ stems, spelled }) => [...stems, ...spelled]));
    const made = element('p', undefined, 'snippet');
    made.dir = 'auto';
    speak(made, language);
    const found = denseIn(text, stems);
    for (const { index, 0: word } of text.matchAll(WORD))
      if (stemsOf(foldCase(word)).some((stem) => stems.has(stem))) found.push([index, index + word.length]);
    let at = 0;
    for (const [start, end] of found.sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      made.append(text.slice(at, start), element('mark', text.slice(start, end)));
      at = end;
    }
    made.append(text.slice(at));
    return made;
  }

  function itemOf([title, url, topicNumber, snippet, language], score, words) {
    const item = element('li', undefined, 'page');
    const head = element('h3');
    const link = element('a', title);
    if (/^https?:\/\//i.test(url)) link.href = url;
    link.rel = 'noopener nofollow';
    head.dir = 'auto';
    speak(link, language);
    head.append(link);
    const facts = element('p', undefined, 'facts');
    const place = manifest.topics[topicNumber];
    const topicLink = element('a', place[0]);
    topicLink.href = `topics/${place[1]}.html`;
    facts.append(element('span', hostOf(url), 'site'), ' · ', topicLink, ` · [${score.toFixed(2)}]`);
    item.append(head, marked(snippet, words, language), facts);
    return item;
  }

  function hostOf(url) {
    try {
      return new URL(url).host;
    } catch {
      return '';
    }
  }

  /** Values of a facet that are shown. */
  const MOST_VALUES = 8;
  const FACETS = ['topic', 'site', 'language', 'year'];
  const FACET_WORDS = { topic: 'searchTopic', site: 'searchSite', language: 'searchLanguage', year: 'searchYear' };
  /** What the results are narrowed to, by facet. */
  const chosen = {};

  /** Loaded behind the first results: most searches do without. */
  async function loadFacets() {
    await load('index/facets.js');
    if (facets.topic !== undefined) return;
    for (const facet of Object.values(facets)) facet.places = decodeRuns(facet.runs);
    const places = new Uint16Array(manifest.pages);
    // A subtopic comes after the topics above it.
    manifest.topics.forEach(([, , ranges], i) => {
      for (let at = 0; at < ranges.length; at += 2) places.fill(i + 1, ranges[at], ranges[at + 1]);
    });
    facets.topic = { values: manifest.topics.map(([, slug]) => slug), places };
  }

  /** `3*20,0` is twenty times place 3 and one page without a value. */
  function decodeRuns(runs) {
    const places = new Uint32Array(manifest.pages);
    let page = 0;
    for (const run of runs.split(',')) {
      const [place, length = '1'] = run.split('*');
      places.fill(Number.parseInt(place, 36), page, page + Number(length));
      page += Number(length);
    }
    return places;
  }

  function valueIn(name, page) {
    return facets[name].values[facets[name].places[page] - 1] ?? '';
  }

  /** The pages with all chosen values, but for one facet. */
  function narrowed(pages, except) {
    const names = Object.keys(chosen).filter((name) => name !== except);
    return names.length === 0
      ? pages
      : pages.filter((page) => names.every((name) => valueIn(name, page) === chosen[name]));
  }

  function nameOfValue(name, value) {
    if (name === 'topic') return manifest.topics.find(([, slug]) => slug === value)[0];
    if (name !== 'language') return value;
    try {
      return new Intl.DisplayNames([manifest.language], { type: 'language' }).of(value);
    } catch {
      return value;
    }
  }

  /** Each facet with its most frequent values: a button narrows the results to one, or takes that back. */
  function drawFacets(all, redraw) {
    const groups = FACETS.flatMap((name) => {
      const counts = new Map();
      for (const page of narrowed(all, name)) {
        const value = valueIn(name, page);
        if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      if (counts.size < 2 && chosen[name] === undefined) return [];
      const order = [...counts].sort(([a, n], [b, m]) => (name === 'year' ? (a < b ? 1 : -1) : m - n));
      const shown = order.filter(([value], i) => i < MOST_VALUES || value === chosen[name]);
      return [facetList(name, shown, redraw)];
    });
    narrowing.replaceChildren(...groups);
    narrowing.hidden = groups.length === 0;
  }

  function facetList(name, values, redraw) {
    const group = element('details');
    group.open = matchMedia('(min-width: 52rem)').matches || chosen[name] !== undefined;
    group.append(element('summary', say(FACET_WORDS[name])));
    const rows = element('ul');
    for (const [value, count] of values) {
      const row = element('li');
      const button = element('button', nameOfValue(name, value));
      button.type = 'button';
      button.append(element('span', count.toLocaleString(manifest.language), 'count'));
      const isChosen = chosen[name] === value;
      button.setAttribute('aria-pressed', String(isChosen));
      button.dataset.value = `${name} ${value}`;
      button.addEventListener('click', () => {
        if (isChosen) delete chosen[name];
        else chosen[name] = value;
        void redraw(button.dataset.value);
      });
      row.append(button);
      rows.append(row);
    }
    group.append(rows);
    return group;
  }

  let latest = 0;

  async function show() {
    const run = ++latest;
    list.replaceChildren();
    heading.hidden = true;
    more.hidden = true;
    narrowing.hidden = true;
    remember();
    try {
      await load('index/manifest.js');
      if (readQuery(input.value).wanted.length === 0) {
        status.textContent = input.value.trim() === '' ? '' : say('searchType');
        return;
      }
      status.textContent = say('searchRunning');
      await Promise.all(manifest.stemmers.map((language) => load(`stemmers/${language}.js`)));
      const { wanted, barred, notes } = readQuery(input.value, manifest.languages);
      const words = await Promise.all(wanted.map(joined));
      const place = topic.value === '' ? undefined : manifest.topics.find(([, slug]) => slug === topic.value);
      const ranges = place === undefined ? manifest.all : place[2];
      const found = await find(words, ranges, await Promise.all(barred.map(withLonger)));
      if (run !== latest) return;
      const said = [sentenceOf(found), ...notes.map(noteOf)].join(' ');
      status.textContent = said;
      report({ query: input.value, matches: found.pages.length });
      // Of a pair that begins with a Chinese character the character alone was asked for.
      const marks = wanted.flatMap(({ ways }, i) => ways.map((way) => (way.beginning === undefined ? way : words[i])));
      const isNarrow = Object.keys(chosen).length > 0;
      if (!isNarrow) await append(found, 0, marks);
      if (run !== latest || (found.pages.length < 2 && !isNarrow)) return;
      await loadFacets();
      const redraw = async (focus) => {
        if (run !== latest) return;
        const pages = narrowed(found.pages);
        status.textContent = pages.length === found.pages.length ? said : `${counted(pages.length)}.`;
        list.replaceChildren();
        remember();
        drawFacets(found.pages, redraw);
        if (focus !== undefined)
          [...narrowing.querySelectorAll('button')].find((one) => one.dataset.value === focus)?.focus();
        await append({ ...found, pages }, 0, marks);
      };
      if (isNarrow) await redraw();
      else drawFacets(found.pages, redraw);
    } catch (error) {
      if (run === latest) status.textContent = error.message;
    }
  }

  /** A text of the portal with its places filled in. */
  function say(name, values = {}) {
    return manifest.words[name].replace(/\{(\w+)\}/g, (_, place) => values[place] ?? '');
  }

  function counted(n) {
    const forms = manifest.words.pages;
    const form = forms[new Intl.PluralRules(manifest.language).select(n)] ?? forms.other;
    return form.replace('{n}', n.toLocaleString(manifest.language));
  }

  /** What a query asks for and this search cannot do: the name of a text, for some with the name of a field. */
  function noteOf(note) {
    const [name, field] = note.split(' ');
    return say(name, { name: field });
  }

  function sentenceOf({ pages, known, complete }) {
    if (pages.length === 0) return say('searchNone');
    if (known <= 1) return `${counted(pages.length)}.`;
    const rest = pages.length - complete;
    if (rest === 0) return say('searchAll', { pages: counted(complete) });
    return say('searchSome', { pages: counted(complete), n: rest.toLocaleString(manifest.language) });
  }

  async function append(found, from, words) {
    const run = latest;
    const { pages, scoreOf } = found;
    const shown = pages.slice(from, from + AT_ONCE);
    const rows = await Promise.all(shown.map(rowOf));
    if (run !== latest) return;
    const items = rows.map((row, i) => itemOf(row, scoreOf(shown[i]), words));
    list.append(...items);
    heading.hidden = pages.length === 0;
    if (from > 0) items[0]?.querySelector('a')?.focus();
    more.hidden = from + AT_ONCE >= pages.length;
    more.onclick = () => append(found, from + AT_ONCE, words);
  }

  /** The address names the search, with the topic as its page is named, so that it can be kept and sent; browsers refuse that for a page on a disk. */
  function remember() {
    const own = Object.entries(chosen).map(([name, value]) => [`in-${name}`, value]);
    const query = new URLSearchParams([
      ['q', input.value],
      ...(topic.value === '' ? [] : [['topic', topic.value]]),
      ...own,
    ]);
    try {
      history.replaceState(null, '', `?${query}`);
    } catch {
      // The search works all the same.
    }
  }

  /** Only `bingo portal --serve --log` names a log. */
  function report(search) {
    const { log } = document.documentElement.dataset;
    if (log !== undefined) navigator.sendBeacon(log, JSON.stringify(search));
  }

  for (const kind of ['click', 'auxclick'])
    list.addEventListener(kind, ({ target }) => {
      const link = target.closest('h3 a[href]');
      if (link !== null) report({ query: input.value, opened: link.href });
    });
  const again = () => {
    for (const name of FACETS) delete chosen[name];
    void show();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    again();
  });
  topic.addEventListener('change', again);
  const asked = new URLSearchParams(location.search);
  input.value = asked.get('q') ?? '';
  if ([...topic.options].some((option) => option.value === asked.get('topic'))) topic.value = asked.get('topic');
  for (const name of FACETS) if (asked.has(`in-${name}`)) chosen[name] = asked.get(`in-${name}`);
  if (input.value !== '') void show();
  else input.focus();
})();
