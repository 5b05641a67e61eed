import { expect, test } from 'vitest';
import { ROOT } from '../../src/core/index.ts';
import { openReview, type ReviewPage } from '../../src/dashboard/index.ts';
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

test('Ctrl-C while decisions are applied stops that, and the review ends with what came of it', async () => {
  const { terminal, type, written, isRaw } = paperTerminal();
  const stopped = Promise.withResolvers<void>();
  let isApplying = false;
  const ended = openReview({
    ...{ title: 'papers', topics: [{ id: TOPIC, pages: [PAGE] }], places: [TOPIC], terminal },
    text: async () => ({ paragraphs: [], terms: [] }),
    objection: () => undefined,
    preview: async () => ({ byTopic: new Map(), moved: '3 of 9 pages would move', lines: [] }),
    apply: () => {
      isApplying = true;
      return stopped.promise;
    },
    keep: () => {},
    propose: async () => [],
    accept: async () => {},
    open: async () => '',
    interrupt: () => stopped.resolve(),
  });
  await expect.poll(isRaw).toBe(true);
  type('a');
  await expect.poll(written).toContain('would move');
  type('sy');
  await expect.poll(() => isApplying).toBe(true);
  type('\u0003');
  expect(await ended).toBe('applied');
  expect(isRaw()).toBe(false);
});
