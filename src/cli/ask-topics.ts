import { createInterface } from 'node:readline';
import {
  loadForReading,
  removeTopic,
  renameTopic,
  sanitizeForTerminal,
  type TopicsUnclearError,
} from '../workbench/index.ts';
import type { Io } from './command.ts';

/**
 * Asks what became of a topic that bingo.yaml no longer has, and records the answer.
 * @returns false if the user gave no answer
 */
export async function askAboutTopic({ dropped, added }: TopicsUnclearError, dir: string, io: Io): Promise<boolean> {
  const lines = createInterface({ input: io.stdin, terminal: false });
  const choices = added.map((topic, n) => `  ${n + 1}  renamed to "${topic}"\n`);
  io.err(
    sanitizeLines(
      `bingo.yaml no longer has the topic "${dropped}". What became of it?\n${choices.join('')}  r  removed\n> `,
    ),
  );
  try {
    for await (const line of lines) {
      const answer = line.trim().toLowerCase();
      const now = added[Number(answer) - 1];
      if (now !== undefined) await renameTopic(loadForReading(dir, io), dropped, now);
      else if (answer === 'r') await removeTopic(loadForReading(dir, io), dropped);
      else if (answer === '' || answer === 'q') return false;
      else {
        io.err(`Type a number from 1 to ${added.length}, or r; Enter alone changes nothing.\n> `);
        continue;
      }
      return true;
    }
    return false;
  } finally {
    lines.close();
  }
}

function sanitizeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${sanitizeForTerminal(line)}`)
    .join('\n');
}
