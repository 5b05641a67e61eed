import { readFileSync } from 'node:fs';

/** A command of a document, with what the document shows of its output. */
export interface Step {
  /** Line of the command in the document. */
  readonly line: number;
  /** One shell command, which may have several lines. */
  readonly command: string;
  readonly parts: readonly Part[];
}

/** What a command prints, then what the reader types. */
export interface Part {
  readonly shown: readonly string[];
  /** The reader's answer; `undefined` after the last output. */
  readonly typed: string | undefined;
}

/** Lines of a document at which the reader types: at the `>` prompt, or after a question that can be cancelled. */
const TYPED = /^(> |.* q to cancel: )(.+)$/;

/**
 * Reads the commands of a document in order: lines after `$` of its `console` blocks, and lines of its `sh` blocks.
 * A `text` block continues the output of the command before it.
 */
export function readSteps(file: string): readonly Step[] {
  const steps: Step[] = [];
  const lines = readFileSync(file, 'utf8').split('\n');
  let block = '';
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null) {
      block = block === '' ? fence[1]! : '';
      continue;
    }
    const isCommand = block === 'sh' || (block === 'console' && line.startsWith('$ '));
    if (isCommand) {
      const from = i;
      const end = /<<(\w+)$/.exec(line)?.[1];
      const isOpen = (): boolean => (end === undefined ? lines[i]!.endsWith('\\') : lines[i] !== end);
      while (isOpen()) i++;
      const command = lines.slice(from, i + 1).join('\n');
      steps.push({ line: from + 1, command: command.replace(/^\$ /, ''), parts: [{ shown: [], typed: undefined }] });
    } else if (block === 'console' || (block === 'text' && steps.length > 0)) {
      const step = steps.at(-1)!;
      steps[steps.length - 1] = { ...step, parts: withLine(step.parts, line) };
    }
  }
  return steps;
}

function withLine(parts: readonly Part[], line: string): readonly Part[] {
  const [, prompt, typed] = TYPED.exec(line) ?? [];
  const last = parts.at(-1)!;
  if (prompt === undefined) return [...parts.slice(0, -1), { ...last, shown: [...last.shown, line] }];
  return [...parts.slice(0, -1), { ...last, typed: typed! }, { shown: [], typed: undefined }];
}

/** Numbers of the output may differ from those of the document by this share, or by `SLACK`, if that is more. */
const TOLERANCE = 0.3;
const SLACK = 4;

/**
 * Compares the output of a command with what a document shows of it. A line `…` stands for any lines, `…` within a
 * line for any text. Blanks and rules may have any length, dates and durations any value, other numbers a tolerance.
 * @returns the first line that the output does not have, or `undefined`
 */
export function missingLine(shown: readonly string[], output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  let at = 0;
  let isFree = false;
  let runs: string[] = [];
  const settle = (): string | undefined => {
    if (runs.length === 0) return undefined;
    const last = isFree ? lines.length - runs.length : at;
    for (let from = at; from <= last; from++)
      if (runs.every((line, i) => isLike(line, lines[from + i] ?? ''))) {
        at = from + runs.length;
        runs = [];
        isFree = false;
        return undefined;
      }
    return (
      runs.find((line, i) => !(isFree ? lines.slice(at) : [lines[at + i] ?? '']).some((got) => isLike(line, got))) ??
      runs[0]
    );
  };
  for (const line of shown.map((one) => one.trim())) {
    if (line !== '…') {
      runs.push(line);
      continue;
    }
    const missing = settle();
    if (missing !== undefined) return missing;
    isFree = true;
  }
  const missing = settle();
  if (missing !== undefined || shown.length === 0 || isFree) return missing;
  const rest = lines.slice(at).find((line) => line !== '');
  return rest === undefined ? undefined : `nothing, but the output continues: ${rest}`;
}

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
/** Dates, times of day, and durations such as 16s, 0.5 s or 1m20s. */
const TIMES = /\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\b(?:\d+m)?\d+(?:\.\d+)? ?m?s\b/g;

function isLike(shown: string, got: string): boolean {
  const plain = (line: string): string => line.replace(TIMES, 'TIME').replace(/[─\s]+/g, (run) => run[0]!);
  const pattern = plain(shown)
    .split('…')
    .map((part) => part.split(NUMBER).map(escaped).join('(\\d[\\d,]*(?:\\.\\d+)?)'))
    .join('.*');
  const found = new RegExp(`^${pattern}$`).exec(plain(got));
  const wanted = plain(shown).match(NUMBER) ?? [];
  return found !== null && wanted.every((number, i) => isNear(asNumber(number), asNumber(found[i + 1]!)));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function asNumber(number: string): number {
  return Number(number.replaceAll(',', ''));
}

function isNear(shown: number, got: number): boolean {
  return Math.abs(shown - got) <= Math.max(SLACK, TOLERANCE * shown);
}
