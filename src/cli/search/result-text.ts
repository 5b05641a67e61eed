import type { Snippet } from '../../postprocess/index.ts';
import {
  bylineText,
  endText,
  type Paint,
  paint,
  type Result,
  sanitizeForTerminal,
  scoreParts,
  scoreText,
  showAddress,
  truncate,
  wrap,
} from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { wantsColour } from '../process-io.ts';

/** Formats results for the user, numbered from 1; with details, also what each score consists of. */
export function resultText(results: readonly Result[], io: Io, withDetails = false): string {
  const style = { ...styleOf(io), withDetails };
  return results.map((result, index) => describeResult(result, index + 1, style)).join('\n');
}

/** Formats results in two lines each, numbered from 1, so that ten of them fit a screen. */
export function resultList(results: readonly Result[], io: Io): string {
  const { style, width } = styleOf(io);
  const lines = results.map((result, index) => {
    const { title, url } = result;
    const score = scoreText(result);
    const address = style.accent(truncate(showAddress(url), width - 6 - score.length));
    const name = style.bold(truncate(sanitizeForTerminal(title) || '(no title)', width - 5));
    return `${String(index + 1).padStart(3)}  ${name}\n     ${address} ${style.dim(score)}\n`;
  });
  return lines.join('');
}

/** Formats one result with its passage and what its score consists of. */
export function resultPreview(result: Result, place: number, io: Io): string {
  return `${describeResult(result, place, { ...styleOf(io), withDetails: true })}\n`;
}

function styleOf(io: Io): { readonly width: number; readonly style: Paint } {
  return { width: Math.min(100, io.columns()), style: paint(wantsColour(io, io.stdoutIsTerminal)) };
}

interface ResultStyle {
  readonly width: number;
  readonly style: Paint;
  readonly withDetails: boolean;
}

function describeResult(result: Result, place: number, { width, style, withDetails }: ResultStyle): string {
  const title = sanitizeForTerminal(result.title) || '(no title)';
  const topic = result.others ? 'rejected' : sanitizeForTerminal(result.topic);
  const end = endText(result);
  const byline = sanitizeForTerminal(bylineText(result.bibliography));
  const alike = result.alike.length === 0 ? [] : [style.dim(`     and ${alikeText(result)}`)];
  return [
    `${String(place).padStart(3)}  ${style.bold(truncate(title, width - 5))}`,
    `     ${style.accent(showAddress(result.url))}`,
    `     ${style.dim(`${topic}  ${withDetails ? scoreParts(result) : scoreText(result)}`)}`,
    ...(byline === '' ? [] : [truncate(`     ${style.dim(byline)}`, width)]),
    ...(end === undefined ? [] : [truncate(`     ${style.bold(sanitizeForTerminal(end))}`, width)]),
    ...wrap(emphasize(result.snippet, style), width - 5).map((line) => `     ${line}`),
    ...alike.map((line) => truncate(line, width)),
    '',
  ].join('\n');
}

function alikeText({ alike }: Result): string {
  const first = showAddress(alike[0]!.url);
  return alike.length === 1
    ? `one with the same content: ${first}`
    : `${alike.length} with the same content: ${first} …`;
}

/** The passage with its matches in bold, or between asterisks if bold is not available. */
export function emphasize({ text, marks }: Snippet, style: Paint): string {
  const plain = style.bold('x') === 'x';
  let out = '';
  let at = 0;
  for (const [start, end] of marks) {
    const word = sanitizeForTerminal(text.slice(start, end));
    out += `${sanitizeKeepingEnds(text.slice(at, start))}${plain ? `*${word}*` : style.bold(word)}`;
    at = end;
  }
  return out + sanitizeKeepingEnds(text.slice(at));
}

function sanitizeKeepingEnds(text: string): string {
  const [before = '', after = ''] = [/^\s/.exec(text)?.[0] && ' ', /\s$/.exec(text)?.[0] && ' '];
  const safe = sanitizeForTerminal(text);
  return safe === '' ? before || after : `${before}${safe}${after}`;
}
