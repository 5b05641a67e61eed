import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { readableUrl } from '../../core/index.ts';
import { counted, sanitizeForTerminal } from '../../kit/index.ts';
import { describeOrigin, describeUse, type ReviewPage } from '../../workbench/index.ts';
import { windowAround } from '../derive.ts';
import { figure, joinFitting, toWidth } from '../format.ts';
import { reviewLayoutOf, SMALLEST } from '../layout.ts';
import {
  judgementOf,
  type ReviewState,
  selectedAt,
  selectedPage,
  selectedText,
  shownTopic,
} from '../review/review-state.ts';
import { flow, GUTTER, type TextRow } from '../review/text-flow.ts';
import type { Theme } from '../theme.ts';
import { GroupPanel } from './GroupPanel.tsx';
import { Line } from './Line.tsx';
import { ReviewFooter } from './ReviewFooter.tsx';
import { ReviewPanel } from './ReviewPanel.tsx';
import { Title } from './Title.tsx';
import { TooSmall } from './TooSmall.tsx';

interface Props {
  readonly state: ReviewState;
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** The whole review screen. Draws only its props. */
export function Review({ state, columns, rows, theme }: Props): ReactElement {
  if (columns < SMALLEST.columns || rows < SMALLEST.rows + 2)
    return <TooSmall needs={`a review needs ${SMALLEST.columns} columns and ${SMALLEST.rows + 2} rows`} rows={rows} />;
  const { listRows, textRows, panelRows } = reviewLayoutOf(rows);
  const place = { state, columns, theme };
  const isGroups = state.view.kind === 'groups' || state.view.kind === 'group-name';
  const isPanel = !isGroups && !['pages', 'trim', 'topics', 'quit'].includes(state.view.kind);
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Line look={theme.strong}>{header(state)}</Line>
      <Line>{effectLine(state)}</Line>
      <List {...place} height={listRows} />
      {isGroups ? <GroupPanel {...place} height={panelRows + 1} /> : null}
      {isPanel ? <ReviewPanel {...place} height={panelRows + 1} /> : null}
      {isGroups || isPanel ? null : <Page {...place} height={textRows} />}
      <ReviewFooter {...place} />
    </Box>
  );
}

function header(state: ReviewState): string {
  const { title, topics, topicAt, decided } = state;
  const topic = shownTopic(state);
  const place = topics.length > 1 ? ` (${topicAt + 1} of ${topics.length})` : '';
  return `${title} · review · ${topic?.id ?? 'no topic'}${place} · ${decided.size} decided`;
}

/** The effect of the decisions so far, before anything is applied. */
function effectLine(state: ReviewState): string {
  const { effect, decided } = state;
  switch (effect.kind) {
    case 'none':
      return 'Effect: decide on pages to see what would change.';
    case 'pending':
      return `Effect of ${counted(decided.size, 'decision')}: training …`;
    case 'refused':
      return `! ${effect.reason}`;
    case 'known':
      return [effect.effect.byTopic.get(shownTopic(state)?.id ?? ''), effect.effect.moved].filter(Boolean).join('; ');
  }
}

interface PartProps {
  readonly state: ReviewState;
  readonly columns: number;
  /** Rows without titles. */
  readonly height: number;
  readonly theme: Theme;
}

function List({ state, columns, height, theme }: PartProps): ReactElement {
  const pages = shownTopic(state)?.pages ?? [];
  const at = selectedAt(state);
  const { from, to } = windowAround(pages.length, at, height);
  const candidates = pages.filter((page) => !page.isTraining).length;
  const unsure = pages.filter((page) => page.origin === 'unsure').length;
  const isOthers = pages[0]?.isOthers === true;
  const title = isOthers
    ? `${counted(pages.length, 'page')} that you do not want`
    : `${counted(candidates, 'candidate')}${unsure > 0 ? ` (${unsure} unsure: these teach most)` : ''}, ${counted(pages.length - candidates, 'training page')}`;
  return (
    <Box flexDirection="column" width={columns} height={height + 1}>
      <Title text={title} width={columns} isActive={state.view.kind === 'pages'} theme={theme} />
      {pages.length === 0 ? <Line>{'  Nothing to review here.'}</Line> : null}
      {pages.slice(from, to).map((page, i) => (
        <Row key={page.key} page={page} state={state} columns={columns} isSelected={from + i === at} theme={theme} />
      ))}
    </Box>
  );
}

interface RowProps {
  readonly page: ReviewPage;
  readonly state: ReviewState;
  readonly columns: number;
  readonly isSelected: boolean;
  readonly theme: Theme;
}

const ORIGIN_WIDTH = 12;

function Row({ page, state, columns, isSelected, theme }: RowProps): ReactElement {
  const judgement = judgementOf(state, page);
  const now = state.decided.get(page.key);
  const sign = judgement === undefined ? ' ' : SIGNS[judgement.use];
  const decision = judgement === undefined ? '' : describeUse(judgement);
  const decisionWidth = Math.min(26, Math.max(16, Math.floor(columns / 4)));
  const titleWidth = columns - ORIGIN_WIDTH - decisionWidth - 12;
  const look = isSelected ? theme.selected : now === undefined ? {} : theme.strong;
  const title = page.title || page.key;
  return (
    <Line look={look}>
      {`${isSelected ? '›' : ' '} ${sign} ${toWidth(figure(page.score), 5, 'right')} ${toWidth(describeOrigin(page.origin), ORIGIN_WIDTH)} ${toWidth(title, titleWidth)} ${toWidth(decision, decisionWidth)}`}
    </Line>
  );
}

const SIGNS = { example: '✓', others: '×', dropped: '–', free: '·', 'bad-site': '×', 'good-site': '✓' } as const;

function Page({ state, columns, height, theme }: PartProps): ReactElement {
  const page = selectedPage(state);
  const text = selectedText(state);
  const isTrimming = state.view.kind === 'trim';
  const title = isTrimming ? 'trim: the rest becomes the training page' : 'page';
  const terms = text === undefined || text.terms.length === 0 ? '' : `strongest terms: ${text.terms.join(' ')}`;
  return (
    <Box flexDirection="column" width={columns} height={height + 3}>
      <Title text={title} width={columns} isActive={isTrimming} theme={theme} />
      <Line>{page === undefined ? '' : joinFitting(facts(page), columns)}</Line>
      <Line>{terms}</Line>
      <PageText state={state} columns={columns} height={height} theme={theme} />
    </Box>
  );
}

function facts({ key, authority }: ReviewPage): string[] {
  return [sanitizeForTerminal(readableUrl(key)), ...(authority > 0 ? [`authority ${figure(authority)}`] : [])];
}

function PageText({ state, columns, height, theme }: PartProps): ReactElement {
  const page = selectedPage(state);
  const text = selectedText(state);
  if (page === undefined) return <Line />;
  if (text === undefined) return <Line>{'  …'}</Line>;
  if (text.paragraphs.length === 0) return <Line>{'  The text of this page is not stored.'}</Line>;
  const { view } = state;
  const cut = view.kind === 'trim' ? view.cut : new Set(judgementOf(state, page)?.without);
  const rows = flow(text.paragraphs, columns - GUTTER);
  const wanted = view.kind === 'trim' ? Math.max(0, rows.findIndex((row) => row.paragraph === view.at) - 1) : state.top;
  const top = Math.max(0, Math.min(wanted, rows.length - height));
  return (
    <Box flexDirection="column" height={height}>
      {rows.slice(top, top + height).map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <TextLine key={i} row={row} isCut={cut.has(row.paragraph)} isAt={isAt(state, row)} theme={theme} />
      ))}
    </Box>
  );
}

function isAt({ view }: ReviewState, { paragraph }: TextRow): boolean {
  return view.kind === 'trim' && view.at === paragraph;
}

interface TextLineProps {
  readonly row: TextRow;
  readonly isCut: boolean;
  readonly isAt: boolean;
  readonly theme: Theme;
}

function TextLine({ row, isCut, isAt: isHere, theme }: TextLineProps): ReactElement {
  const number = row.isFirst ? String(row.paragraph + 1) : '';
  const gutter = `${isHere ? '›' : ' '}${toWidth(number, 2, 'right')}${isCut ? '✂' : ' '} `;
  return (
    <Line look={isHere ? theme.selected : {}}>
      {gutter}
      {row.segments.map((segment, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words of a row do not move
        <Text key={i} {...(segment.isTerm && !isCut ? { ...theme.accent, ...theme.strong } : {})}>
          {isCut ? '·'.repeat(segment.text.length) : segment.text}
        </Text>
      ))}
    </Line>
  );
}
