import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { whyLines } from '../../src/cli/explain/url-answer.ts';
import type { CanonicalUrl } from '../../src/core/index.ts';
import { openStore } from '../../src/store/index.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { BIKE, bikeWorkspace, FOOD, page, prose, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
});
afterAll(async () => {
  await web.close();
});

interface Row {
  readonly url: string;
  readonly topic: string | null;
  readonly role: string;
}

async function exported(): Promise<readonly Row[]> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function topicOf(url: string): Promise<string | null | undefined> {
  return (await exported()).find((page) => page.url === url)?.topic;
}

async function topicsIn(table: string): Promise<readonly string[]> {
  const { out } = await run(['sql', dir, '--json', `select distinct topic from ${table} order by topic`]);
  return JSON.parse(out).map(({ topic }: Row) => topic);
}

async function crawl(...more: string[]): Promise<void> {
  const { code, err } = await run(['crawl', dir, '--plain', ...more]);
  expect(code, err).toBe(0);
}

async function change(edit: (yaml: string) => string): Promise<void> {
  const file = join(dir, 'bingo.yaml');
  const before = readFileSync(file, 'utf8');
  expect(edit(before)).not.toBe(before);
  writeFileSync(file, edit(before));
  await crawl();
}

/** Runs a command that changes a topic. */
async function topic(command: string, ...words: readonly string[]): Promise<void> {
  const { code, err } = await run(['topic', command, dir, ...words]);
  expect(code, err).toBe(0);
}

/** Renames topics at once: two may swap their names. */
async function rename(...names: readonly (readonly [from: string, to: string])[]): Promise<void> {
  for (const [from, to] of names) await topic('rename', from, `${to} for now`);
  for (const [, to] of names) await topic('rename', `${to} for now`, to);
}

const SWAPPED = [
  ['cycling', 'cooking'],
  ['cooking', 'cycling'],
] as const;

const bike = (n: number): string => `${web.origin('bikes.test')}/${n}`;
const food = (n: number): string => `${web.origin('food.test')}/${n}`;

/**
 * Adds one example per topic on another host that links to the topic's pages, because links within a host do not
 * count.
 */
async function linkFromElsewhere(): Promise<void> {
  const subjects = { bikes: [BIKE, bike], food: [FOOD, food] } as const;
  web.handle('elsewhere.test', (request, response) => {
    const [words, url] = subjects[request.url === '/food' ? 'food' : 'bikes'];
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page('elsewhere', prose(words, 1), [3, 4, 8, 9].map(url)));
  });
  const elsewhere = web.origin('elsewhere.test');
  await change((yaml) =>
    yaml
      .replace(/name: cycling\n {4}examples: \[/, `$&${elsewhere}/bikes, `)
      .replace(/name: cooking\n {4}examples: \[/, `$&${elsewhere}/food, `),
  );
}

/** Removes the topic, and makes pages like its own counter-examples. */
function withoutCooking(yaml: string): string {
  const rest = yaml.replace(/ {2}- name: cooking\n {4}examples: .*\n/, '');
  return rest.replace('others: [', `others: [${food(1)}, ${food(2)}, ${food(5)}, `);
}

/** Two topics, bicycles and food, each with two examples. */
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-topics-'));
  const yaml = bikeWorkspace(web, 'crawl: {budget: 20, learn: 4}\n')
    .replace(`${food(1)}, ${food(2)}, ${food(5)}, ${food(7)}, `, '')
    .replace('others:', `  - name: cooking\n    examples: ["${food(0)}", "${food(6)}"]\nothers:`);
  writeFileSync(join(dir, 'bingo.yaml'), yaml);
  await crawl();
  return () => rmSync(dir, { recursive: true, force: true });
});

describe('an example follows its topic', () => {
  test('if the topic is renamed: no page and no score has the old name', async () => {
    await linkFromElsewhere();
    await rename(['cycling', 'bicycles']);
    await crawl();
    expect(await topicOf(bike(0))).toBe('bicycles');
    expect(JSON.parse((await run(['topic', 'show', dir, 'bicycles', '--json'])).out)).toMatchObject({
      ids: ['cycling'],
    });
    expect((await exported()).filter(({ topic }) => topic === 'cycling')).toEqual([]);
    for (const table of ['page_score', 'link_score', 'authority'])
      expect(await topicsIn(table), table).toEqual(['bicycles', 'cooking']);
    expect((await run(['why', dir, bike(0)])).out).toContain('It is an example of bicycles.');
  });

  test('if the topic is moved under another one or merged', async () => {
    await topic('move', 'cooking', 'cycling');
    await crawl();
    expect(await topicOf(food(0))).toBe('cycling/cooking');
    await change((yaml) =>
      yaml
        .replace(/ {4}topics:\n {6}- name: cooking\n {8}examples: .*\n/, '')
        .replace(`${bike(0)}, `, `${bike(0)}, "${food(0)}", "${food(6)}", `),
    );
    expect([await topicOf(food(0)), await topicOf(food(6))]).toEqual(['cycling', 'cycling']);
  });

  test('if the topic is removed the page is judged like any other, and why says so', async () => {
    await change(withoutCooking);
    expect(await topicOf(food(0))).toBeNull();
    const { out } = await run(['why', dir, food(0)]);
    expect(out).toContain('It was fetched as a training page, is not one any more, and rejected as off topic.');
  });

  test('and returns with it', async () => {
    const whole = readFileSync(join(dir, 'bingo.yaml'), 'utf8');
    await change(withoutCooking);
    await change(() => whole);
    expect(await topicOf(food(0))).toBe('cooking');
    expect((await run(['why', dir, food(0)])).out).toContain('It is an example of cooking.');
  });
});

describe('a mark of the user follows its topic', () => {
  const examplesOf = async (topic: string): Promise<readonly string[]> => {
    const { out } = await run(['topic', 'show', dir, topic, '--json']);
    const { training } = JSON.parse(out) as { training: readonly { key: string; origin: string }[] };
    return training.filter(({ origin }) => origin === 'user' || origin === 'feedback').map(({ key }) => key);
  };
  test('and so do the estimates of earlier rounds, even if two topics swap names', async () => {
    type Rounds = readonly { readonly after: { readonly positives: number } | null }[];
    const positives = async (topic: string): Promise<unknown> => {
      const { rounds } = JSON.parse((await run(['topic', 'show', dir, topic, '--json'])).out) as { rounds: Rounds };
      return rounds.map(({ after }) => after?.positives);
    };
    await run(['mark', dir, '--good', bike(6), '--topic', 'cycling']);
    const [bikes, meals] = [await positives('cycling'), await positives('cooking')];
    expect(bikes).not.toEqual(meals);
    await rename(['cycling', 'cooking'], ['cooking', 'food']);
    await crawl();
    expect(await positives('cooking')).toEqual([...(bikes as number[]), expect.any(Number)]);
    expect(await positives('food')).toEqual([...(meals as number[]), expect.any(Number)]);
  });

  test('if two topics swap names, and swap back', async () => {
    expect((await run(['mark', dir, '--good', bike(6), '--topic', 'cycling'])).code).toBe(0);
    await rename(...SWAPPED);
    await crawl();
    expect(await examplesOf('cooking')).toEqual([bike(0), bike(5), bike(6)]);
    expect(await examplesOf('cycling')).toEqual([food(0), food(6)]);
    expect(await topicOf(bike(6))).toBe('cooking');
    await rename(...SWAPPED);
    await crawl();
    expect(await examplesOf('cycling')).toEqual([bike(0), bike(5), bike(6)]);
  });

  test('if one topic gets the former name of another, at once or one run later', async () => {
    const found = (await exported()).find(({ role, topic }) => role === 'crawled' && topic === 'cooking')!;
    expect((await run(['mark', dir, '--good', found.url])).code).toBe(0);
    await rename(['cycling', 'cooking'], ['cooking', 'food']);
    await crawl();
    expect(await examplesOf('food')).toEqual([food(0), food(6), found.url]);
    expect(await examplesOf('cooking')).toEqual([bike(0), bike(5)]);
    await rename(['food', 'meals']);
    await crawl();
    await rename(['cooking', 'food']);
    await crawl();
    expect(await examplesOf('meals')).toEqual([food(0), food(6), found.url]);
    expect(await examplesOf('food')).toEqual([bike(0), bike(5)]);
  });

  test('and a mark right after the edit uses the new names of bingo.yaml', async () => {
    await rename(...SWAPPED);
    expect((await run(['mark', dir, '--good', bike(6), '--topic', 'cooking'])).code).toBe(0);
    for (const again of [false, true]) {
      if (again) await crawl();
      expect(await examplesOf('cooking')).toEqual([bike(0), bike(5), bike(6)]);
    }
  });
});

describe('between an edit of bingo.yaml and the next crawl, every command uses the new names', () => {
  const edit = (change: (yaml: string) => string): void => {
    const file = join(dir, 'bingo.yaml');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  const urlsOf = async (topic: string): Promise<readonly string[]> => {
    const { code, out, err } = await run(['export', dir, '--format', 'urls', '--topic', topic]);
    expect(code, err).toBe(0);
    return out.trim().split('\n');
  };

  test('if a topic was renamed, including what was learned of it', async () => {
    const pages = await urlsOf('cycling');
    expect(pages.length).toBeGreaterThan(3);
    const learned = JSON.parse((await run(['topic', 'show', dir, 'cycling', '--json'])).out);
    await rename(['cycling', 'bicycles']);
    expect(await urlsOf('bicycles')).toEqual(pages);
    const found = JSON.parse(
      (await run(['search', dir, 'saddle -topic:cooking topic:bicycles', '--json'])).out,
    ) as Row[];
    expect(new Set(found.map(({ topic }) => topic))).toEqual(new Set(['bicycles']));
    expect((await run(['portal', dir, join(dir, 'site')])).code).toBe(0);
    expect(readFileSync(join(dir, 'site', 'topics', 'bicycles.html'), 'utf8')).toContain(pages[0]);
    const { topics } = JSON.parse((await run(['status', dir, '--json'])).out) as { topics: Row[] };
    expect(topics.map(({ topic }) => topic)).toEqual(['', 'bicycles', 'cooking']);
    const why = (await run(['why', dir, bike(0)])).out;
    for (const line of ['It is an example of bicycles.', 'Judged for bicycles:']) expect(why).toContain(line);
    expect(JSON.parse((await run(['topic', 'show', dir, 'bicycles', '--json'])).out)).toEqual({
      ...JSON.parse(JSON.stringify(learned).replaceAll('"cycling"', '"bicycles"')),
      // The id is stable.
      ids: ['cycling'],
    });
    expect((await run(['cluster', dir, 'bicycles'])).code).toBe(0);
    expect(JSON.parse((await run(['distill', dir, 'bicycles', '--json'])).out).positives).toBe(pages.length);
    expect(JSON.parse((await run(['reclassify', dir, '--topic', 'bicycles', '--json'])).out).pages).toBeGreaterThan(0);
    const effect = await run(['mark', dir, '--good', bike(0), '--preview']);
    expect(effect.out).not.toContain('cycling');
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1, readOnly: true });
    const lines = await whyLines(store, bike(0) as CanonicalUrl, loadWorkspace(dir));
    await store.close();
    expect(lines).toContain('It is an example of bicycles.');
    expect((await run(['export', dir, '--topic', 'cycling'])).err).toContain('Unknown topic "cycling".');
  });

  test('if two topics swapped names, or one got the former name of another', async () => {
    const [bikes, meals] = [await urlsOf('cycling'), await urlsOf('cooking')];
    await rename(...SWAPPED);
    expect([await urlsOf('cooking'), await urlsOf('cycling')]).toEqual([bikes, meals]);
    await rename(['cycling', 'food']);
    expect([await urlsOf('cooking'), await urlsOf('food')]).toEqual([bikes, meals]);
  });

  test('if a topic moved below another, left it, or was merged into one', async () => {
    const [bikes, meals] = [await urlsOf('cycling'), await urlsOf('cooking')];
    await topic('move', 'cooking', 'cycling');
    await crawl();
    const [all, below] = [await urlsOf('cycling'), await urlsOf('cycling/cooking')];
    await topic('move', 'cycling/cooking', '/');
    expect(await urlsOf('cooking')).toEqual(below);
    expect(await urlsOf('cycling')).toEqual(all.filter((url) => !below.includes(url)));
    await crawl();
    expect([await urlsOf('cycling'), await urlsOf('cooking')]).toEqual([bikes, meals]);
    edit((yaml) =>
      yaml
        .replace(/ {2}- name: cooking\n {4}examples: .*\n/, '')
        .replace(`${bike(0)}, `, `${bike(0)}, "${food(0)}", "${food(6)}", `),
    );
    await topic('rename', 'cooking', 'cycling');
    const { topics } = JSON.parse((await run(['status', dir, '--json'])).out) as { topics: Row[] };
    expect(topics.map(({ topic }) => topic)).toEqual(['', 'cycling']);
    expect(new Set(await urlsOf('cycling'))).toEqual(new Set([...bikes, ...meals]));
  });
});

describe('a bingo.yaml edited by hand that lost a topic and has a new one', () => {
  const asked = (): void => {
    const file = join(dir, 'bingo.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('name: cycling', 'name: bicycles'));
  };

  test('stops a crawl and a decision, and names the commands that say what was meant', async () => {
    asked();
    for (const command of [
      ['crawl', dir, '--plain'],
      ['mark', dir, '--good', bike(6)],
    ]) {
      const { code, err } = await run(command);
      expect(code).toBe(2);
      expect(err).toContain(`bingo topic rename ${dir} cycling bicycles`);
      expect(err).toContain(`bingo topic remove ${dir} cycling`);
    }
    expect((await run(['status', dir])).code).toBe(0);
  });

  test('is a rename after "topic rename": pages and marks follow', async () => {
    await run(['mark', dir, '--good', bike(6), '--topic', 'cycling']);
    asked();
    const before = readFileSync(join(dir, 'bingo.yaml'), 'utf8');
    await topic('rename', 'cycling', 'bicycles');
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toBe(before);
    await crawl();
    expect(await topicOf(bike(6))).toBe('bicycles');
    expect(await topicsIn('page_score')).not.toContain('cycling');
  });

  test('is a new topic after "topic remove", and a rename again after "topic rename"', async () => {
    await run(['mark', dir, '--good', bike(6), '--topic', 'cycling']);
    asked();
    await topic('remove', 'cycling');
    await crawl();
    const trained = async (): Promise<string> => (await run(['topic', 'show', dir, 'bicycles', '--json'])).out;
    expect(await trained()).not.toContain('"feedback"');
    await topic('rename', 'cycling', 'bicycles');
    await crawl();
    expect(await trained()).toContain('"feedback"');
  });

  test('is asked about on a terminal, and the command continues', async () => {
    asked();
    const terminal = { stdinIsTerminal: true, stderrIsTerminal: true, env: { TERM: 'dumb' } };
    const none = await run(['mark', dir, '--good', bike(6)], { ...terminal, input: '\n' });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('1  renamed to "bicycles"')]);
    const { code, err } = await run(['mark', dir, '--good', bike(6)], { ...terminal, input: 'x\n1\n' });
    expect([code, err]).toEqual([0, expect.stringContaining('Type a number')]);
    expect(await topicOf(bike(0))).toBe('bicycles');
  });

  test('is clear if it only lost a topic, or only has a new one', async () => {
    await change(withoutCooking);
    await change((yaml) => yaml.replace('others:', `  - name: meals\n    examples: ["${food(0)}"]\nothers:`));
    expect(await topicOf(food(0))).toBe('meals');
  });
});

test('a rename is kept if the process is killed before it changed bingo.yaml, or after', async () => {
  const [yaml, topics] = [join(dir, 'bingo.yaml'), join(dir, 'topics.json')];
  const before = readFileSync(yaml, 'utf8');
  await topic('rename', 'cycling', 'bicycles');
  const recorded = readFileSync(topics, 'utf8');
  writeFileSync(yaml, before);
  await crawl();
  expect(await topicOf(bike(0))).toBe('cycling');
  writeFileSync(yaml, before.replace('name: cycling', 'name: bicycles'));
  writeFileSync(topics, recorded);
  await crawl();
  expect(await topicOf(bike(0))).toBe('bicycles');
});

test('a workspace without recorded ids, as older versions left it, can be changed and crawled', async () => {
  rmSync(join(dir, 'topics.json'));
  const yaml = join(dir, 'bingo.yaml');
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('name: cycling', 'name: bicycles'));
  expect((await run(['crawl', dir, '--plain'])).err).toContain('topic rename');
  await topic('rename', 'cycling', 'bicycles');
  await crawl();
  expect(await topicOf(bike(0))).toBe('bicycles');
});

test('a rename that an older version guessed can be recorded later', async () => {
  await run(['mark', dir, '--good', bike(6), '--topic', 'cycling']);
  await rename(['cycling', 'bicycles']);
  writeFileSync(
    join(dir, 'topics.json'),
    JSON.stringify({ topics: { bicycles: 'bicycles', cooking: 'cooking' }, removed: {} }),
  );
  await crawl();
  const trained = async (): Promise<string> => (await run(['topic', 'show', dir, 'bicycles', '--json'])).out;
  expect(await trained()).not.toContain('"feedback"');
  await topic('rename', 'cycling', 'bicycles');
  await crawl();
  expect(await trained()).toContain('"feedback"');
});

describe('an example that the user marked', () => {
  test('bad leaves the topic until the mark is removed', async () => {
    await run(['mark', dir, '--bad', bike(5)]);
    expect(await topicOf(bike(5))).toBeNull();
    expect((await run(['why', dir, bike(5)])).out).toContain('A person marked it as a page of OTHERS.');
    await run(['mark', dir, '--undo', bike(5)]);
    expect(await topicOf(bike(5))).toBe('cycling');
  });
});

test('a page that bingo.yaml later names as an example is in the topic, despite the classifier', async () => {
  const found = (await exported()).find(({ role, topic }) => role === 'crawled' && topic === 'cooking')!;
  await change((yaml) => yaml.replace(`${bike(0)}, `, `${bike(0)}, "${found.url}", `));
  expect(await topicOf(found.url)).toBe('cycling');
});

test('a page fetched for OTHERS that becomes an example is searched, shown and exported so', async () => {
  const star = `${web.origin('stars.test')}/2`;
  await change((yaml) =>
    yaml.replace(`${star}, `, '').replace('others:', `  - name: astronomy\n    examples: ["${star}"]\nothers:`),
  );
  const search = await run(['search', dir, 'planet', '--topic', 'astronomy', '--json']);
  expect(JSON.parse(search.out).map(({ url }: Row) => url)).toContain(star);
  expect((await run(['export', dir, '--format', 'urls'])).out).toContain(`${star}\n`);
  const site = join(dir, 'site');
  expect((await run(['portal', dir, site])).code).toBe(0);
  expect(readFileSync(join(site, 'topics', 'astronomy.html'), 'utf8')).toContain(star);
  const census = await run(['sql', dir, '--json', "select examples from census where topic = 'astronomy'"]);
  expect(JSON.parse(census.out)).toEqual([{ examples: 1 }]);
  const { err } = await run(['crawl', dir, '--recheck-all', '--plain']);
  const looked = Number(/Rechecking (\d+) of/.exec(err)?.[1]);
  const accepted = (await run(['export', dir, '--format', 'urls'])).out.trim().split('\n');
  expect(looked).toBe(accepted.length);
});

describe('a page that no topic accepts', () => {
  test('is explained by the step that rejected it: the parent of the nearest topic', async () => {
    const file = join(dir, 'bingo.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace(
          'topics:\n  - name: cycling\n    examples',
          'topics:\n  - name: leisure\n    topics:\n      - name: cycling\n        examples',
        )
        .replace('  - name: cooking\n    examples', '      - name: cooking\n        examples'),
    );
    await topic('rename', 'cycling', 'leisure/cycling');
    await topic('move', 'cooking', 'leisure');
    await crawl();
    const { out } = await run([
      'sql',
      dir,
      '--json',
      "select url from page where role = 'crawled' and others = 1 and topic = ''",
    ]);
    const refused: readonly Row[] = JSON.parse(out);
    expect(refused.length).toBeGreaterThan(0);
    for (const { url } of refused) {
      const { explanation } = JSON.parse((await run(['why', dir, url, '--json'])).out);
      expect(explanation.topic).toBe('leisure');
      expect(explanation.votes[0].accepts).toBe(false);
    }
  });
});

test('a changed local document is learned from at the start of the next crawl', async () => {
  const document = join(dir, 'cooking.txt');
  const rounds = async (): Promise<number> =>
    JSON.parse((await run(['sql', dir, '--json', 'select max(model) as n from round'])).out)[0].n;
  writeFileSync(document, prose(FOOD, 1));
  await change((yaml) =>
    yaml.replace(/name: cooking\n {4}examples: .*/, 'name: cooking\n    examples: [{file: cooking.txt}]'),
  );
  const before = await rounds();
  const shown = async (): Promise<string> => (await run(['topic', 'show', dir, 'cooking'])).out;
  expect(await shown()).not.toContain('violin');
  await crawl();
  expect(await rounds()).toBe(before);
  writeFileSync(document, prose('violin sonata orchestra concerto bow melody'.split(' '), 7));
  await crawl();
  expect(await rounds()).toBe(before + 1);
  expect(await shown()).toContain('violin');
});
