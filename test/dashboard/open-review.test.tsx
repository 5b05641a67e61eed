import { expect, test } from 'vitest';
import { ROOT } from '../../src/core/index.ts';
import { openReview, type ReviewOptions } from '../../src/dashboard/index.ts';
import type { ReviewPage } from '../../src/workbench/index.ts';
import { sampleTree } from './support/events.ts';
import { paperTerminal } from './support/paper-terminal.ts';

const TOPIC = [...sampleTree().nodes.keys()].find((id) => id !== ROOT)!;

const PAGE: ReviewPage = {
  key: 'https://host.example/page',
  sequence: 1,
  title: 'ARIES and logging',
  topic: TOPIC,
  origin: 'both',
  isTraining: false,
  isOthers: false,
  score: 1,
  authority: 0,
  judgement: undefined,
};

/** A review of one page, whose decisions are applied at once. */
function reviewOf(ports: Pick<ReviewOptions, 'terminal'> & Partial<ReviewOptions>): ReviewOptions {
  return {
    ...{ title: 'papers', topics: [{ id: TOPIC, pages: [PAGE] }], places: [TOPIC] },
    text: async () => ({ paragraphs: [], terms: [], against: [] }),
    objection: () => undefined,
    preview: async () => ({ byTopic: new Map(), moved: '3 of 9 pages would move', lines: [] }),
    apply: async () => undefined,
    keep: () => {},
    propose: async () => [],
    accept: async () => {},
    open: async () => '',
    editTopics: async () => '',
    groups: async () => [],
    decideGroup: async () => [],
    makeTopic: async () => {},
    removeTopic: async () => {},
    interrupt: () => {},
    ...ports,
  };
}

test('Ctrl-C while decisions are applied stops that, and the review ends with what came of it', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  const stopped = Promise.withResolvers<undefined>();
  let isApplying = false;
  const apply = (): Promise<undefined> => {
    isApplying = true;
    return stopped.promise;
  };
  const ended = openReview(reviewOf({ terminal, apply, interrupt: () => stopped.resolve(undefined) }));
  await expect.poll(isRaw).toBe(true);
  type('a');
  await expect.poll(written).toContain('would move');
  type('sy');
  await expect.poll(() => isApplying).toBe(true);
  type('\u0003');
  expect(await ended).toBe('applied');
  expect(isRaw()).toBe(false);
});

test('a review continues with the next pages after decisions are applied, and ends with q', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  const next = { ...PAGE, key: 'https://host.example/next', title: 'Checkpoints' };
  const kept: number[] = [];
  const ended = openReview(
    reviewOf({
      terminal,
      keep: (judgements) => kept.push(judgements.length),
      apply: async (judgements) => ({
        topics: [{ id: TOPIC, pages: [next] }],
        message: `${judgements.length} decision applied.`,
      }),
    }),
  );
  await expect.poll(isRaw).toBe(true);
  type('a');
  await expect.poll(written).toContain('would move');
  type('sy');
  await expect.poll(written).toContain('1 decision applied.');
  await expect.poll(written).toContain('Checkpoints');
  expect(kept).toEqual([1, 0]);
  type('q');
  expect(await ended).toBe('left');
});

test('a review whose kept decisions cannot be taken away says so once they are applied, and can be left', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  const keep: ReviewOptions['keep'] = (judgements) => {
    if (judgements.length === 0) throw new Error('the folder can only be read');
  };
  const ended = openReview(reviewOf({ terminal, keep }));
  await expect.poll(isRaw).toBe(true);
  type('a');
  await expect.poll(written).toContain('would move');
  type('sy');
  await expect.poll(written).toContain('the folder can only be read');
  type('qy');
  expect(await ended).toBe('left');
});

test('what could not be proposed is looked for again when it is asked for again', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  let asked = 0;
  const propose = async (): Promise<[]> => {
    if (++asked === 1) throw new Error('the server is gone');
    return [];
  };
  const ended = openReview(reviewOf({ terminal, propose }));
  await expect.poll(isRaw).toBe(true);
  type('p');
  await expect.poll(written).toContain('the server is gone');
  type('qp');
  await expect.poll(written).toContain('Nothing to propose.');
  expect(asked).toBe(2);
  type('qq');
  expect(await ended).toBe('left');
});

test('a group of rejected pages becomes counter-examples once its decisions are applied', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  const group = { number: 1, pages: 9, words: ['spokes', 'wrench'], examples: [], hosts: [] };
  const judgement = { key: 'https://shop.example/', sequence: 4, title: '', use: 'others', topic: ROOT } as const;
  const applied: unknown[] = [];
  const asked: unknown[] = [];
  const ended = openReview(
    reviewOf({
      ...{ terminal, beginsWithGroups: true, groups: async () => [group] },
      decideGroup: async (...words) => {
        asked.push(words);
        return [judgement];
      },
      apply: async (judgements) => {
        applied.push(...judgements);
        return undefined;
      },
    }),
  );
  await expect.poll(isRaw).toBe(true);
  await expect.poll(written).toContain('spokes, wrench');
  type('x');
  await expect.poll(written).toContain('would move');
  type('sy');
  expect(await ended).toBe('applied');
  expect([asked, applied]).toEqual([[[1, 'others']], [judgement]]);
});

test('groups that cannot be made are asked for again', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  let asked = 0;
  const groups = async (): Promise<[]> => {
    if (++asked === 1) throw new Error('the server is gone');
    return [];
  };
  const ended = openReview(reviewOf({ terminal, groups }));
  await expect.poll(isRaw).toBe(true);
  type('g');
  await expect.poll(written).toContain('the server is gone');
  type('g');
  await expect.poll(written).toContain('No rejected pages to group.');
  type('qq');
  expect(await ended).toBe('left');
});
