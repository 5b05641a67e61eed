import { count } from '../../kit/index.ts';
import { quoted, type StandingAnswer, sanitizeForTerminal } from '../../workbench/index.ts';

/** Says what standing queries found for the first time; empty without standing queries. */
export function standingText(answers: readonly StandingAnswer[], dir: string): string {
  if (answers.length === 0) return '';
  const lines = answers.map(({ query, found, problem }) =>
    sanitizeForTerminal(
      problem === undefined
        ? `${count(found.length)} new for "${query}".`
        : `"${query}" could not be asked: ${problem}`,
    ),
  );
  const next = answers.some(({ found }) => found.length > 0)
    ? [`They are listed by: bingo watch ${quoted(dir)} list`]
    : [];
  return `\n${[...lines, ...next].join('\n')}\n`;
}
