import { describe, expect, test } from 'vitest';
import { analyzeText } from '../../src/analyze/index.ts';
import { type Example, ROOT, type RoundRecord, type TopicId, type TopicSpec, topicTree } from '../../src/core/index.ts';
import type { InlineExample } from '../../src/engine/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import { rankAbove } from '../../src/learn/index.ts';
import { classify, decodeModels, prepareClassifier } from '../../src/meta/index.ts';
import { type Answer, exactConfig, type PaperCrawl, paperCrawl, RecordingJournal } from './support/paper-web.ts';

/** What pages of a subject are written with; a subject below another one shares its words. */
interface Subject {
  /** Path, which is the host's name too. */
  readonly name: string;
  readonly words: readonly string[];
}

/** Everyday words, function words among them. */
const ENGLISH =
  words(`people place world year often later small large work name story great many number side the and of to
  long part city water house night morning school family money letter paper street summer winter river field window
  answer question friend music picture market voice minute reason result sister table garden doctor power level`);
const GERMAN =
  words(`der die das und nicht ein Jahr Haus Welt Menschen immer wieder später kleine große Arbeit mit von zu
  Stadt Wasser Nacht Morgen Schule Familie Geld Briefe Papier Straße Sommer Winter Fluss Felder Fenster Antwort Fragen
  Freunde Musik Bilder Markt Stimme Minuten Gründe Ergebnis Schwester Tische Garten Ärzte Kräfte Stufen Seite Zahl`);
const RUSSIAN = words(`и в на не что люди место мир год часто позже малый большой работа имя история много число с по
  город вода ночь утро школа семья деньги письмо бумага улица лето зима река поле окно ответ вопрос друзья музыка
  картина рынок голос минута причина результат сестра стол сад врачи сила уровень сторона часть дом`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

const PER_SUBJECT = 25;

function url({ name }: Pick<Subject, 'name'>, i: number): string {
  return `http://${name.replaceAll('/', '-')}.paper.test/${i}`;
}

/** A third of a page's words are its subject's; three links of four stay with the subject. */
function webOf(subjects: readonly Subject[], plain: readonly string[]): Map<string, Answer> {
  const random = seededRandom(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const web = new Map<string, Answer>();
  for (const subject of subjects)
    for (let i = 0; i < PER_SUBJECT; i++) {
      const text = Array.from({ length: 80 }, () => pick(random() < 0.35 ? subject.words : plain)).join(' ');
      const links = Array.from({ length: 6 }, () => {
        const to = random() < 0.75 ? subject : pick(subjects);
        return `<a href="${url(to, Math.floor(random() * PER_SUBJECT))}">${pick(plain)}</a>`;
      });
      web.set(url(subject, i), `<title>${pick(subject.words)}</title><p>${text} ${links.join(' ')}</p>`);
    }
  return web;
}

function subject(name: string, text: string): Subject {
  return { name, words: words(text) };
}

function pages(of: Subject, ...numbers: number[]): Example[] {
  return numbers.map((i) => ({ kind: 'url', url: url(of, i) }));
}

/** Pages accepted into each topic, and those of them that are of the subject by that name. */
function census({ journal }: PaperCrawl): Map<string, { accepted: number; right: number }> {
  const found = new Map<string, { accepted: number; right: number }>();
  for (const { role, assignment, finalUrl } of journal.pages()) {
    if (role !== 'crawled' || assignment.others) continue;
    const at = found.get(assignment.topic) ?? { accepted: 0, right: 0 };
    const isRight = finalUrl.startsWith(`http://${assignment.topic.replaceAll('/', '-')}.`);
    found.set(assignment.topic, { accepted: at.accepted + 1, right: at.right + (isRight ? 1 : 0) });
  }
  return found;
}

/**
 * Share of the crawled pages that are of a subject, and the share of pairs in which such a page scores above another one. The
 * accept threshold is made for the web, where pages of a topic are far less alike than here.
 */
function found(crawl: PaperCrawl, { name }: Pick<Subject, 'name'>): { share: number; rank: number } {
  const crawled = crawl.journal.pages().filter(({ role }) => role === 'crawled');
  const score = ({ assignment }: (typeof crawled)[number]): number => assignment.scores[0]!.calibrated;
  const own = crawled.filter(({ finalUrl }) => finalUrl.startsWith(`http://${name}.`));
  const others = crawled.filter((page) => !own.includes(page));
  return { share: own.length / crawled.length, rank: rankAbove(own.map(score), others.map(score)) };
}

const RAIL = subject('rail', 'locomotive railway track gauge steam signal carriage platform tunnel viaduct boiler');
const FOOD = subject('food', 'flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan');
const STARS = subject('stars', 'planet orbit telescope galaxy comet gravity astronomer nebula lunar crater probe');

describe('a cold start', () => {
  test('needs only two examples and general pages as OTHERS', async () => {
    const config = exactConfig({ crawl: { budget: 30, learn: 10 }, distill: { hubs: 0 } });
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1) }], pages(STARS, 0, 1, 2, 3));
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    await crawl.run();
    const { share, rank } = found(crawl, RAIL);
    expect(share).toBeGreaterThan(0.55);
    expect(rank).toBeGreaterThan(0.98);
  });

  test('continues without OTHERS that cannot be fetched', async () => {
    const config = exactConfig({ crawl: { budget: 30, learn: 10 }, distill: { hubs: 0 } });
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1) }], pages(STARS, 0, 1, 2, 3));
    const crawl = paperCrawl(webOf([RAIL, FOOD], ENGLISH), config, { tree });
    expect((await crawl.run()).fetchedNow).toBe(30);
    const { share, rank } = found(crawl, RAIL);
    expect(share).toBeGreaterThan(0.55);
    expect(rank).toBeGreaterThan(0.9);
  });

  test('needs only a query and three URLs, without any OTHERS', async () => {
    const config = exactConfig({ crawl: { budget: 40, learn: 10 }, distill: { hubs: 0 } });
    const tree = topicTree(
      [{ name: 'rail', examples: [...pages(RAIL, 0, 1, 2), { kind: 'text', name: 'query', text: 'steam railway' }] }],
      [],
    );
    const document = analyzeText('steam railway', { ...config.analyze, spaces: ['terms'] });
    const inline: InlineExample[] = [{ key: 'query', topic: 'rail' as TopicId, others: false, document }];
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree, inline });
    await crawl.run();
    const rounds = crawl.journal.records.filter((record) => record.kind === 'round');
    expect(rounds[0]!.training.map((entry) => entry.key)).toContain('query');
    expect(rounds[0]!.estimates[0]).toMatchObject({ positives: 4, negatives: 0 });
    const { share, rank } = found(crawl, RAIL);
    expect(share).toBeGreaterThan(0.5);
    expect(rank).toBeGreaterThan(0.9);
  });

  test('reports a model that accepts everything, and uses the least similar pages as OTHERS', async () => {
    const config = exactConfig({ crawl: { budget: 70, learn: 0, ordering: 'breadth-first' } });
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], []);
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    expect(await crawl.run()).toMatchObject({ isReclassificationDue: true });
    const crawled = crawl.journal.pages().filter(({ role }) => role === 'crawled');
    const acceptedIn = (from: number, to: number): number =>
      crawled.slice(from, to).filter(({ assignment }) => !assignment.others).length / (to - from);
    expect(acceptedIn(0, 20)).toBeGreaterThan(0.8);
    expect(acceptedIn(50, 70)).toBeLessThan(0.8);
    const [, second, third] = crawl.journal.records.filter((record) => record.kind === 'round');
    // Of the first ten nearly all are on topic.
    expect(second).toMatchObject({ undone: true, admitted: [], reason: expect.stringContaining('least like') });
    const taken = third!.training.filter(({ origin }) => origin === 'rejected');
    expect(taken).toHaveLength(6);
    expect(taken.filter(({ key }) => key.startsWith('http://rail.')).length).toBeLessThanOrEqual(2);
    expect(third!.admitted).toEqual([]);
    const alarms = crawl.events.filter((event) => event.kind === 'alarm' && event.code === 'indiscriminate');
    expect(alarms).toHaveLength(1);
  });

  test('does not use pages as OTHERS that an all-rejecting model rejected if on topic', async () => {
    const config = exactConfig({ crawl: { budget: 60, learn: 30 }, learn: { retrainEvery: 30 } });
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0) }], [...pages(FOOD, 0), ...pages(STARS, 0)]);
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    expect(await crawl.run()).toMatchObject({ isReclassificationDue: true });
    const rail = crawl.journal
      .pages()
      .filter(({ role, finalUrl }) => role === 'crawled' && finalUrl.startsWith('http://rail.'));
    const byFirst = rail.filter(({ assignment }) => assignment.model === 1);
    expect(byFirst.length).toBeGreaterThan(10);
    expect(byFirst.filter(({ assignment }) => !assignment.others)).toEqual([]);
    const rounds = crawl.journal.records.filter((record) => record.kind === 'round');
    const others = rounds[1]!.training.filter(({ origin }) => origin === 'rejected');
    expect(others.length).toBeGreaterThan(5);
    expect(others.filter(({ key }) => key.startsWith('http://rail.')).length).toBeLessThanOrEqual(2);
    const last = prepareClassifier(decodeModels(rounds.at(-1)!.blob));
    const accepted = rail.filter(({ document }) => !classify(last, document.features, 'weighted').others);
    expect(accepted.length / rail.length).toBeGreaterThan(0.9);
  });

  test('learns nothing more from foreign OTHERS, but from one of the same sites', async () => {
    const config = exactConfig({ crawl: { budget: 70, learn: 0, ordering: 'breadth-first' } });
    const web = webOf([RAIL, FOOD, STARS], ENGLISH);
    const elsewhere = Array.from({ length: 20 }, (_, i) => `http://general.elsewhere.test/${i}`);
    for (const [i, address] of elsewhere.entries())
      web.set(address, `<p>${GERMAN.slice(i, i + 20).join(' ')} ${GERMAN.slice(0, 30).join(' ')}</p>`);
    const others: Example[] = [...elsewhere.map((url): Example => ({ kind: 'url', url })), ...pages(FOOD, 0)];
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], others);
    const crawl = paperCrawl(web, config, { tree });
    await crawl.run();
    const [first, second] = crawl.journal.records.filter(
      (record) => record.kind === 'round' && !record.undone,
    ) as RoundRecord[];
    const given = (round: typeof first): string[] =>
      round!.training.filter(({ origin }) => origin === 'others').map(({ key }) => key);
    expect(given(first)).toHaveLength(21);
    expect(given(second)).toEqual([url(FOOD, 0)]);
    expect(second!.training.filter(({ origin }) => origin === 'rejected').length).toBeGreaterThan(2);
  });

  test('learns and fetches the same in the same order if it is cut and resumed', async () => {
    const config = exactConfig({ crawl: { budget: 50, learn: 15, ordering: 'learned' }, learn: { retrainEvery: 30 } });
    const web = webOf([RAIL, FOOD, STARS], ENGLISH);
    const elsewhere = Array.from({ length: 12 }, (_, i) => `http://general.elsewhere.test/${i}`);
    for (const [i, address] of elsewhere.entries()) web.set(address, `<p>${GERMAN.slice(i, i + 30).join(' ')}</p>`);
    const tree = topicTree(
      [{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }],
      elsewhere.map((url): Example => ({ kind: 'url', url })),
    );
    const whole = paperCrawl(web, config, { tree });
    await whole.run();
    const learnedFrom = ({ journal }: PaperCrawl): unknown =>
      journal.records.flatMap((record) => (record.kind === 'round' ? [record.training.map(({ key }) => key)] : []));
    const { records } = whole.journal;
    expect(records.some((r) => r.kind === 'round' && r.training.some(({ origin }) => origin === 'rejected'))).toBe(
      true,
    );
    for (let cut = 16; cut < records.length; cut += 5) {
      const resumed = paperCrawl(web, config, { tree, journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
      expect(learnedFrom(resumed), `cut after record ${cut}`).toEqual(learnedFrom(whole));
    }
  });

  test('retrains after ten pages and at each doubling, however far the next round is', async () => {
    const crawlOf = { budget: 45, learn: 0, ordering: 'breadth-first' } as const;
    const config = exactConfig({ crawl: crawlOf, learn: { retrainEvery: 500 } });
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], []);
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    await crawl.run();
    const { records } = crawl.journal;
    const rounds = records.filter((record) => record.kind === 'round').slice(1);
    const before = rounds.map(
      ({ sequence }) =>
        records.filter((r) => r.kind === 'page' && r.role === 'crawled' && r.sequence < sequence).length,
    );
    expect(before.slice(0, 3)).toEqual([10, 20, 40]);
  });

  test('trusts OTHERS of the crawled sites: many accepted pages change nothing', async () => {
    const config = exactConfig({ crawl: { budget: 40, learn: 10, ordering: 'breadth-first' } });
    const others = [...pages(FOOD, 0, 1, 2, 3, 4, 5, 6, 7), ...pages(STARS, 0, 1, 2, 3, 4, 5, 6)];
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], others);
    const crawl = paperCrawl(webOf([RAIL], ENGLISH), config, { tree });
    expect(await crawl.run()).toMatchObject({ isReclassificationDue: false });
    expect(crawl.events.filter((event) => event.kind === 'alarm' && event.code === 'indiscriminate')).toEqual([]);
  });

  test.each([
    ['the same subject', RAIL, ['rails', 'trains']],
    ['subjects of their own', FOOD, []],
  ])('two topics with pages of %s: reports topics that cannot be recognised', async (_what, of, told) => {
    const config = exactConfig({ crawl: { budget: 20, learn: 5 }, learn: { maxArchetypes: 0 } });
    const tree = topicTree(
      [
        { name: 'rails', examples: pages(RAIL, 0, 2, 4, 6, 8) },
        { name: 'trains', examples: pages(of, 1, 3, 5, 7, 9) },
      ],
      pages(STARS, 0, 1, 2, 3),
    );
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    await crawl.run();
    const alarms = crawl.events.filter((event) => event.kind === 'alarm' && event.code === 'unrecognised');
    expect(alarms.map((alarm) => /"(.*?)"/.exec('message' in alarm ? alarm.message : '')?.[1])).toEqual(told);
  });

  test('twelve topics on three levels each receive their own pages', async () => {
    const tops = ['science', 'sport'];
    const leaf = (name: string): Subject => {
      const [top, middle] = name.split('/');
      const words = [1, 2, 3].flatMap((n) => [`${top}word${n}x`, `${top}${middle}word${n}x`]);
      return { name, words: [...words, ...[1, 2, 3, 4, 5].map((n) => `${name.replaceAll('/', '')}word${n}x`)] };
    };
    const leaves = tops.flatMap((top) =>
      ['left', 'right'].flatMap((middle) => ['one', 'two', 'three'].map((end) => leaf(`${top}/${middle}/${end}`))),
    );
    const specs = tops.map(
      (top): TopicSpec => ({
        name: top,
        topics: ['left', 'right'].map((middle) => ({
          name: middle,
          topics: ['one', 'two', 'three'].map((end) => ({
            name: end,
            examples: pages({ name: `${top}/${middle}/${end}` } as Subject, 0, 1, 2),
          })),
        })),
      }),
    );
    const tree = topicTree(specs, pages(FOOD, 0, 1, 2, 3, 4, 5));
    const web = webOf([...leaves, FOOD, STARS], ENGLISH);
    const crawl = paperCrawl(web, exactConfig({ crawl: { budget: 200, learn: 60 }, learn: { retrainEvery: 50 } }), {
      tree,
    });
    await crawl.run();
    const perTopic = census(crawl);
    expect([...perTopic.keys()].sort()).toEqual(leaves.map(({ name }) => name).sort());
    const sum = [...perTopic.values()].reduce((a, b) => ({
      accepted: a.accepted + b.accepted,
      right: a.right + b.right,
    }));
    expect(sum.right / sum.accepted).toBeGreaterThan(0.9);
    for (const [topic, { right }] of perTopic) expect(right, topic).toBeGreaterThan(4);
  });

  test.each([
    [
      'German',
      GERMAN,
      'Lokomotiven Eisenbahnen Gleise Spurweite Dampfkessel Signale Bahnhöfe Tunnel Brücken Fahrplan',
      'Mehl Butter Backofen Rezepte Zucker Hefe Zwiebeln Töpfe Braten Suppen',
    ],
    [
      'Russian',
      RUSSIAN,
      'локомотивы железная дорога рельсы колея паровоз сигналы вокзалы тоннель мосты расписание',
      'мука масло духовка рецепты сахар дрожжи лук кастрюля жаркое супы',
    ],
  ])('distinguishes topics in %s in spite of inflected words', async (_, plain, rail, food) => {
    const subjects = [subject('rail', rail), subject('food', food), STARS] as const;
    const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], pages(FOOD, 0, 1, 2, 3));
    const crawl = paperCrawl(webOf(subjects, plain), exactConfig({ crawl: { budget: 30, learn: 10 } }), { tree });
    await crawl.run();
    const { share, rank } = found(crawl, RAIL);
    expect(share).toBeGreaterThan(0.6);
    expect(rank).toBeGreaterThan(0.98);
    const [first] = crawl.journal.pages();
    expect(first!.document.language).toBe(plain === GERMAN ? 'de' : 'ru');
    // Stop words of the language are no features.
    expect(first!.document.features.terms!.features.split('\n')).not.toContain(plain[0]);
  });
});

describe('pages that the crawl rejected', () => {
  const config = exactConfig({
    crawl: { budget: 60, learn: 20, ordering: 'breadth-first' },
    learn: { rejectedAsOthers: 10 },
  });
  const others = [...pages(FOOD, 0, 1, 2, 3, 4), ...pages(STARS, 0, 1, 2, 3, 4)];
  const tree = topicTree([{ name: 'rail', examples: pages(RAIL, 0, 1, 2) }], others);

  test('join OTHERS up to a limit, without near misses, and never count as user-given', async () => {
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    await crawl.run();
    const rounds = crawl.journal.records.filter((record) => record.kind === 'round');
    const rejected = rounds.at(-1)!.training.filter((entry) => entry.origin === 'rejected');
    expect(rejected.length).toBeGreaterThan(3);
    expect(rejected.length).toBeLessThanOrEqual(10);
    for (const { key, topic } of rejected) {
      const page = crawl.journal.pages().find((stored) => stored.finalUrl === key)!;
      expect(topic).toBe(ROOT);
      expect(page.assignment.others).toBe(true);
      expect(page.assignment.relevance).toBeLessThan(0.2);
    }
    expect(rounds.at(-1)!.estimates[0]!.negatives).toBe(others.length + rejected.length);
    // The tree did not change, so continuing trains nothing at first.
    const before = rounds.length;
    const again = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree, journal: crawl.journal });
    await again.run();
    expect(again.journal.records.filter((record) => record.kind === 'round')).toHaveLength(before);
  });

  test('are not used at 0: only user-given OTHERS count', async () => {
    const none = { ...config, learn: { ...config.learn, rejectedAsOthers: 0 } };
    const crawl = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), none, { tree });
    await crawl.run();
    const rounds = crawl.journal.records.filter((record) => record.kind === 'round');
    expect(rounds.flatMap((round) => round.training.filter((entry) => entry.origin === 'rejected'))).toEqual([]);
  });

  test('are drawn the same in a resumed crawl', async () => {
    const whole = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree });
    await whole.run();
    const resumed = paperCrawl(
      webOf([RAIL, FOOD, STARS], ENGLISH),
      { ...config, crawl: { ...config.crawl, budget: 35 } },
      { tree },
    );
    await resumed.run();
    const end = paperCrawl(webOf([RAIL, FOOD, STARS], ENGLISH), config, { tree, journal: resumed.journal });
    await end.run();
    const keys = ({ journal }: PaperCrawl): unknown =>
      journal.records
        .filter((r) => r.kind === 'round')
        .at(-1)!
        .training.map((t) => t.key);
    expect(keys(end)).toEqual(keys(whole));
  });
});
