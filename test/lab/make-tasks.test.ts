import { expect, test } from 'vitest';
import type { CanonicalUrl } from '../../src/core/index.ts';
import {
  isLabelled,
  makeTasks,
  parseTasks,
  redrawTasks,
  renderTasks,
  type TaskMaterial,
  truthOf,
} from '../../src/lab/index.ts';

/** 32 topics of 40 pages. Each page links to the next of its topic and to one of the next topic. */
function web(): TaskMaterial {
  const topics = 32;
  const size = 40;
  const url = (topic: number, page: number): CanonicalUrl => `http://${topic}.test/${page}` as CanonicalUrl;
  const pages: CanonicalUrl[] = [];
  const labels = new Map<CanonicalUrl, string[]>();
  const links = new Map<CanonicalUrl, CanonicalUrl[]>();
  for (let t = 0; t < topics; t++)
    for (let p = 0; p < size; p++) {
      pages.push(url(t, p));
      labels.set(url(t, p), [`Field ${t % 4}/Topic ${t}`]);
      links.set(url(t, p), [url(t, (p + 1) % size), url((t + 1) % topics, p)]);
    }
  return { name: 'made', pages, labels, links: (page) => links.get(page) ?? [] };
}

const options = { seed: 1, topics: 20, examples: [3], part: 'dev' } as const;

test('the same options give the same tasks; another seed gives others', () => {
  expect(makeTasks(web(), options)).toEqual(makeTasks(web(), options));
  expect(makeTasks(web(), { ...options, seed: 2 })).not.toEqual(makeTasks(web(), options));
});

test('the two parts share no topic', () => {
  const labelsOf = (part: 'dev' | 'held-out'): string[] =>
    makeTasks(web(), { ...options, part }).flatMap((task) => task.topics.flatMap(({ labels }) => labels));
  const dev = labelsOf('dev');
  const kept = labelsOf('held-out');
  expect(dev.length).toBeGreaterThan(2);
  expect(kept.length).toBeGreaterThan(2);
  for (const label of dev)
    expect(kept.some((other) => isLabelled(label, [other]) || isLabelled(other, [label]))).toBe(false);
});

test('a topic stays in its part with any seed and without other topics', () => {
  const labelsOf = (more: Partial<Parameters<typeof makeTasks>[1]>): string[] =>
    makeTasks(web(), { ...options, ...more }).flatMap((task) => task.topics.flatMap(({ labels }) => labels));
  const dev = [1, 2, 3].flatMap((seed) => labelsOf({ seed }));
  const kept = [1, 2, 3].flatMap((seed) => labelsOf({ seed, part: 'held-out', without: ['Field 2'] }));
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.filter((label) => dev.includes(label))).toEqual([]);
});

test('draws have the same topics and different examples, and form one family', () => {
  const tasks = makeTasks(web(), { ...options, examples: [1, 3], draws: 2 });
  const [one, three, again] = tasks;
  expect(new Set(tasks.slice(0, 4).map(({ family }) => family)).size).toBe(1);
  expect(again!.topics[0]!.labels).toEqual(one!.topics[0]!.labels);
  expect(again!.topics[0]!.examples).not.toEqual(one!.topics[0]!.examples);
  expect([one!.id, three!.id, again!.id].map((id) => id.replace(one!.family, ''))).toEqual([
    '-1-draw1',
    '-3-draw1',
    '-1-draw2',
  ]);
});

test('a task matches its kind: examples on topic, others off it, near starts one link away', () => {
  const material = web();
  const tasks = makeTasks(material, options);
  expect(new Set(tasks.map(({ kind }) => kind))).toEqual(new Set(['plain', 'near', 'tree']));
  for (const task of tasks) {
    const { topicsOf, relevant } = truthOf(task, material.labels, material.links);
    for (const { name, examples } of task.topics) for (const url of examples) expect(topicsOf(url)).toContain(name);
    for (const url of task.others) expect(topicsOf(url)).toEqual([]);
    expect(relevant.size).toBe(task.scored);
    if (task.kind !== 'near') continue;
    for (const seed of task.seeds) {
      expect(topicsOf(seed)).toEqual([]);
      expect(material.links(seed).some((url) => topicsOf(url)!.length > 0)).toBe(true);
    }
  }
});

test('smaller example sets are subsets of larger ones; all else is equal', () => {
  const [one, three] = makeTasks(web(), { ...options, examples: [1, 3] });
  expect(three!.topics[0]!.examples.slice(0, 1)).toEqual(one!.topics[0]!.examples);
  expect(three!.others).toEqual(one!.others);
});

test('topics can be excluded', () => {
  const tasks = makeTasks(web(), { ...options, without: ['Field 1', 'Field 2'] });
  for (const task of tasks) for (const { labels } of task.topics) expect(labels[0]).toMatch(/^Field [03]/);
});

test('the file can be read back', () => {
  const tasks = makeTasks(web(), options);
  expect(parseTasks(renderTasks(tasks), 'tasks.json')).toEqual(tasks);
});

test('topics with the same name in different places give different task ids', () => {
  const material = web();
  const labels = new Map([...material.labels.keys()].map((url) => [url, [`${new URL(url).hostname}/Topic`]]));
  const tasks = makeTasks({ ...material, labels }, options);
  expect(tasks.length).toBeGreaterThan(2);
  expect(parseTasks(renderTasks(tasks), 'made.json')).toHaveLength(tasks.length);
});

test('redrawn tasks keep topics, kinds, names and family, with other examples', () => {
  const material = web();
  const models = makeTasks(material, { ...options, topics: 4 });
  const elsewhere = models.map((task) => ({ ...task, web: 'other' }));
  const drawn = redrawTasks(material, [...models, ...elsewhere], { seed: 2, examples: [3], draws: 2 });
  expect(drawn.map(({ id }) => id)).toEqual(models.flatMap(({ id }) => [`${id}-3-draw1`, `${id}-3-draw2`]));
  for (const [i, task] of drawn.entries()) {
    const model = models[i >> 1]!;
    expect(task).toMatchObject({ family: model.id, kind: model.kind, web: model.web });
    expect(task.topics.map(({ name, labels }) => ({ name, labels }))).toEqual(
      model.topics.map(({ name, labels }) => ({ name, labels })),
    );
    expect(task.topics[0]!.examples).not.toEqual(model.topics[0]!.examples);
    expect(task.topics[0]!.examples).toHaveLength(3);
  }
  expect(redrawTasks(material, models, { seed: 3, examples: [3] })).not.toEqual(
    redrawTasks(material, models, { seed: 2, examples: [3] }),
  );
});
