import {
  BIBLIOGRAPHY_FIELDS,
  type Bibliography,
  type CanonicalUrl,
  PART_STATUS,
  type PageRecord,
  type Provenance,
  relevanceText,
} from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Explanation } from '../../meta/index.ts';
import type { PathStep, Store, UrlFacts } from '../../store/index.ts';
import {
  answerFor,
  BETWEEN_TERMS,
  type Column,
  labelled,
  namedStore,
  type Paint,
  paint,
  sanitizeForTerminal,
  showAddress,
  spaceShown,
  table,
  tableNames,
  termList,
  type UrlAnswer,
  type Workspace,
  wrap,
} from '../../workbench/index.ts';

type WaitingPlace = NonNullable<UrlAnswer['waiting']>;

const LINKING_PAGES = 5;

/** Returns the answer as plain lines for other views, with the names of the workspace's topic tree. */
export async function whyLines(store: Store, url: CanonicalUrl, workspace: Workspace): Promise<readonly string[]> {
  const tables = { store, names: await tableNames(store, workspace) };
  const answer = await answerFor(namedStore(store, tables.names), url, { workspace, tables });
  return answerLines(answer, paint(false), Number.POSITIVE_INFINITY);
}

/** Returns the answer as lines. */
export function answerLines(
  { url, facts, reason, path, explanation, forms, scores, waiting, bibliography, provenance }: UrlAnswer,
  style: Paint,
  width: number,
): string[] {
  const { page, visits, linkedFrom } = facts;
  return [
    style.bold(showAddress(url)),
    ...wrap(sanitizeForTerminal(reason), width),
    ...(page?.status === PART_STATUS ? wrap(PART_NOTE, width) : []),
    ...(waiting === undefined ? [] : waitingLines(waiting, width)),
    ...(page === undefined ? [] : verdictLines(page, width)),
    ...(provenance === undefined ? [] : provenanceLines(provenance, width)),
    ...(bibliography === undefined ? [] : recordLines(bibliography, width)),
    ...(scores.length === 0 ? [] : ['', ...scoreLines(scores, style, width)]),
    ...(path.length > 0 ? ['', 'Path from a seed:', ...path.map((step, i) => pathLine(step, i))] : []),
    ...(page === undefined && visits.length > 1 ? ['', `Tried ${visits.length} times.`] : []),
    ...(page === undefined && linkedFrom.length > 0 ? linkingLines(facts) : []),
    ...(explanation === undefined ? [] : termLines(explanation, forms, { style, width })),
  ];
}

function waitingLines({ topic, queue, priority, tries, before, waiting }: WaitingPlace, width: number): string[] {
  const place = `${sanitizeForTerminal(topic)}, ${queue}: ${counted(before, 'link')} of ${count(waiting)} before it`;
  const tried = tries === 0 ? 'never tried' : `tried ${counted(tries, 'time')}`;
  return labelled('queue       ', `${place}; priority ${priority.toFixed(3)}, ${tried}`, width);
}

function scoreLines(scores: UrlAnswer['scores'], style: Paint, width: number): string[] {
  const number = { align: 'right' } as const;
  const columns: Column[] = [
    { title: 'topic' },
    { title: 'relevance', ...number },
    { title: 'confidence', ...number },
    { title: 'naive Bayes', ...number },
    { title: 'cosine', ...number },
  ];
  const rows = scores.map(({ topic, won, relevance, confidence, bayes, cosine }) => [
    `${sanitizeForTerminal(topic)}${won ? ` ${style.good('accepted')}` : ''}`,
    relevanceText(relevance),
    confidence.toFixed(3),
    bayes.toFixed(3),
    cosine.toFixed(3),
  ]);
  return table(columns, rows, width);
}

const PART_NOTE = 'Only its beginning is stored: the server never sent the rest.';

function verdictLines({ document, assignment, origin }: PageRecord, width: number): string[] {
  const { confidence, relevance, model } = assignment;
  const by = model > 0 ? `, model ${model}` : '';
  const lines: readonly (readonly [string, string])[] = [
    ['title       ', sanitizeForTerminal(document.title) || '(no title)'],
    [
      'verdict     ',
      `${assignment.others ? 'rejected' : sanitizeForTerminal(assignment.topic)}, confidence ${confidence.toFixed(3)}, relevance ${relevanceText(relevance)}${by}`,
    ],
    [
      'depth       ',
      `${counted(origin.depth, 'link')} from a seed, ${counted(origin.tunnelDepth, 'rejected page')} in a row before it`,
    ],
  ];
  return lines.flatMap(([label, text]) => labelled(label, text, width));
}

/** The archive from which the page was read. */
function provenanceLines({ archive, url, captured }: Provenance, width: number): string[] {
  const date = captured === '' ? '' : `, captured ${captured.slice(0, 16).replace('T', ' ')} UTC`;
  return labelled('archive     ', sanitizeForTerminal(`${archive}${date}, as ${showAddress(url)}`), width);
}

/** The bibliographic record, with the source of each field. */
function recordLines({ sources, ...fields }: Bibliography, width: number): string[] {
  const lines = BIBLIOGRAPHY_FIELDS.flatMap((field) => {
    const value = fields[field];
    if (value === undefined) return [];
    const text = sanitizeForTerminal(typeof value === 'string' ? value : value.join('; '));
    return labelled(`  ${field.padEnd(11)} `, `${text}  (${sanitizeForTerminal(sources[field] ?? '?')})`, width);
  });
  return ['', 'What the page says about itself, and where:', ...lines];
}

function pathLine(step: PathStep, index: number): string {
  const verdict = step.others ? 'rejected' : step.topic;
  const anchor = step.anchor === '' ? '' : ` by "${sanitizeForTerminal(step.anchor)}"`;
  const judged = step.kind === 'page' ? `${verdict} ${step.confidence.toFixed(2)}` : step.title;
  return `  ${index + 1}. ${showAddress(step.url)}  (${step.via}${anchor}; ${sanitizeForTerminal(judged)})`;
}

function linkingLines({ linkedFrom }: UrlFacts): string[] {
  const shown = linkedFrom
    .slice(0, LINKING_PAGES)
    .map(({ url, anchor }) => `  ${showAddress(url)}  "${sanitizeForTerminal(anchor)}"`);
  const more = linkedFrom.length > LINKING_PAGES ? [`  … and ${linkedFrom.length - LINKING_PAGES} more`] : [];
  return ['', 'Pages that link to it:', ...shown, ...more];
}

function termLines(
  explanation: Explanation,
  forms: UrlAnswer['forms'],
  { style, width }: { readonly style: Paint; readonly width: number },
): string[] {
  const terms = (label: string, list: Explanation['for']): string[] =>
    labelled(label, termList(list, forms, 3), width, BETWEEN_TERMS);
  const nameWidth = Math.max(...explanation.votes.map(({ space }) => spaceShown(space).length), 12);
  const votes = explanation.votes.map(({ space, confidence, calibrated, accepts }) => {
    const verdict = accepts ? style.good('yes') : style.bad('no');
    return `  ${spaceShown(space).padEnd(nameWidth)} ${verdict}  confidence ${confidence.toFixed(3)}, calibrated ${calibrated.toFixed(2)} (accepted above ${explanation.threshold.toFixed(2)})`;
  });
  return [
    '',
    `Judged for ${sanitizeForTerminal(explanation.topic)}:`,
    ...votes,
    ...(explanation.kernel === undefined
      ? []
      : [`  The kernel ${explanation.kernel} decided. These terms are those of a linear SVM beside it:`]),
    ...terms('  for      ', explanation.for),
    ...terms('  against  ', explanation.against),
  ];
}
