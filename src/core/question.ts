import { ROOT, type TopicId } from './ids.ts';
import { MAX_JUDGED, type SteerCommand } from './steer.ts';

/** A passage of a text, with the start and end of each marked word within `text`, in order. */
export interface Passage {
  readonly text: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** A question to the user about one stored page: does it belong to the topic? */
export interface Question {
  /** The page: its final URL. */
  readonly key: string;
  /** The stored page. */
  readonly sequence: number;
  readonly title: string;
  readonly topic: TopicId;
  /** A passage with the terms that decided. Empty if the page forbids passages. */
  readonly passage: Passage;
  /** The strongest terms for the topic on the page, strongest first. */
  readonly terms: readonly string[];
  /** Number of this question about its topic, from 1. */
  readonly number: number;
  /** Maximum number of answers per topic. */
  readonly of: number;
}

/** `skip`: the user cannot say. */
export const QUESTION_ANSWERS = ['yes', 'no', 'skip'] as const;
export type QuestionAnswer = (typeof QUESTION_ANSWERS)[number];

/**
 * Returns the command that answers a question. A page that is not on topic becomes a counter-example.
 * @param by who answers. Default: the user
 */
export function answerCommand(
  { key, sequence, title, topic }: Question,
  answer: QuestionAnswer,
  by?: 'reader',
): SteerCommand {
  if (answer === 'skip') return { kind: 'skip-question', key };
  const page = { key, sequence, title: title.slice(0, MAX_JUDGED.title).toWellFormed(), ...(by && { by }) };
  const judgement = answer === 'yes' ? { ...page, use: 'example', topic } : { ...page, use: 'others', topic: ROOT };
  return { kind: 'judge-page', judgement } as SteerCommand;
}
