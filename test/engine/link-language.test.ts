import { describe, expect, test } from 'vitest';
import { stemsOf, tokenize } from '../../src/analyze/index.ts';
import { topicTree } from '../../src/core/index.ts';
import { type Answer, exactConfig, paperCrawl, RecordingJournal, sent } from './support/paper-web.ts';

/** Pages of the topic say these words in one form; links to others of its pages say them in another. */
const WORDS = 'Gebäude Haus Rad Ofen Kloster Garten Wald Bach Stuhl Turm Bauer Baum Apfel';
const INFLECTED = ['Häuser Wäldern', 'Räder Öfen', 'Klöster Gärten', 'Bächen Stühlen', 'Türme Bauern', 'Bäume Äpfel'];
const OFF_TOPIC = [
  'Steuern Zinsen',
  'Gesetze Gerichte',
  'Aktien Fonds',
  'Strafen Zölle',
  'Banken Märkte',
  'Löhne Preise',
];
const FILLER =
  'Auf dieser Seite ist zu lesen, was wir in all den Jahren über sie wissen und was noch nicht bekannt ist.';

function german(title: string, words: string, links = '', meta = ''): string {
  const text = `${FILLER} Das ist ${words.split(' ').join(', auch ')} und so weiter.`;
  const body = `<p>${text}</p><p>${text}</p>${links}`;
  return `<html lang="de"><head>${meta}<title>${title}</title></head><body>${body}</body></html>`;
}

function linkTo(name: string, anchor: string): string {
  return `<p>Mehr darüber steht bei <a href="http://${name}.test/">${anchor}</a>, wo es weiter geht.</p>`;
}

/** A hub names pages of the topic and others by turns, the others first. */
function germanWeb(hubMeta = ''): Map<string, Answer> {
  const hub = INFLECTED.map((anchor, i) => linkTo(`b${i}`, OFF_TOPIC[i]!) + linkTo(`a${i}`, anchor)).join('');
  const web = new Map<string, Answer>([['http://hub.test/', german('Übersicht', WORDS, hub, hubMeta)]]);
  for (let i = 0; i < 3; i++) {
    web.set(`http://example${i}.test/`, german(`Beispiel ${i}`, WORDS, linkTo('hub', 'Übersicht')));
    web.set(`http://other${i}.test/`, german(`Anderes ${i}`, 'Steuer Zins Gesetz Gericht Aktie Bank Markt Lohn Preis'));
  }
  for (let i = 0; i < INFLECTED.length; i++) {
    web.set(`http://a${i}.test/`, german(`Seite ${i}`, `${WORDS} Nummer${i}`));
    web.set(`http://b${i}.test/`, german(`Blatt ${i}`, `Steuer Zins Gesetz Gericht Nummer${i}`));
  }
  return web;
}

const urls = (name: string): { readonly kind: 'url'; readonly url: string }[] =>
  [0, 1, 2].map((i) => ({ kind: 'url', url: `http://${name}${i}.test/` }));
const tree = topicTree([{ name: 'Land', examples: urls('example') }], urls('other'));
const config = exactConfig({ crawl: { ordering: 'learned', budget: 7, learn: 0 } });

test('inflected anchors have the stems of the topic only in German', () => {
  const topic = new Set(tokenize(WORDS, 'de'));
  for (const anchor of INFLECTED) {
    expect(tokenize(anchor, 'de').filter((stem) => topic.has(stem))).toHaveLength(2);
    expect(stemsOf(anchor).filter((stem) => topic.has(stem))).toEqual([]);
  }
});

describe.each([
  ['page', ''],
  ['page that asks not to be stored', '<meta name="robots" content="noindex">'],
])('links of a German %s whose anchors are inflected words of the topic', (_, meta) => {
  const web = germanWeb(meta);

  test('are fetched before all others', async () => {
    const { run, journal } = paperCrawl(web, config, { tree });
    await run();
    const behind = journal.crawled().filter((url) => url !== 'http://hub.test/');
    expect(behind.sort()).toEqual(INFLECTED.map((_, i) => `http://a${i}.test/`));
  });

  test('are followed in the same order by a resumed crawl', async () => {
    const whole = paperCrawl(web, config, { tree });
    await whole.run();
    const { records } = whole.journal;
    for (let cut = 1; cut < records.length; cut++) {
      const resumed = paperCrawl(web, config, { tree, journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

test('fetches sitemap URLs of a German site with inflected topic words first', async () => {
  const site = 'http://example0.test/';
  const url = (words: string): string => site + encodeURIComponent(words.replace(' ', '-'));
  const web = germanWeb();
  web.set('http://hub.test/', german('Übersicht', WORDS));
  for (const words of [...OFF_TOPIC, ...INFLECTED]) web.set(url(words), german(words, `${WORDS} ${words}`));
  const urls = OFF_TOPIC.flatMap((words, i) => [url(words), url(INFLECTED[i]!)]);
  const sitemap = `<urlset>${urls.map((each) => `<url><loc>${each}</loc></url>`).join('')}</urlset>`;
  web.set(`${site}sitemap.xml`, sent(`${site}sitemap.xml`, sitemap));
  const { run, journal } = paperCrawl(web, exactConfig({ crawl: { ...config.crawl, sitemaps: true } }), { tree });
  await run();
  const found = journal.crawled().filter((each) => each.startsWith(site) && !each.endsWith('.xml'));
  expect(found.sort()).toEqual(INFLECTED.map(url).sort());
});
