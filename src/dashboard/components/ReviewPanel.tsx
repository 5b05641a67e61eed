import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Proposal } from '../../workbench/index.ts';
import { windowAround } from '../derive.ts';
import { folded, scrolled } from '../format.ts';
import { reviewHelpLines } from '../help-lines.ts';
import { type ReviewState, selectedProposal } from '../review/review-state.ts';
import type { Theme } from '../theme.ts';
import { Help } from './Help.tsx';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly state: ReviewState;
  readonly columns: number;
  /** Rows, including the title. */
  readonly height: number;
  readonly theme: Theme;
}

/** Replaces the page's text: a choice, the effect, proposals, help. */
export function ReviewPanel({ state, columns, height, theme }: Props): ReactElement {
  const { view } = state;
  const rows = height - 1;
  if (view.kind === 'help')
    return <Help lines={reviewHelpLines(columns)} top={view.top} columns={columns} rows={height} theme={theme} />;
  return (
    <Box flexDirection="column" width={columns} height={height} overflow="hidden">
      <Title text={TITLES[view.kind] ?? ''} width={columns} isActive theme={theme} />
      {linesOf(state, columns, rows).map(({ text, isSelected }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={i} look={isSelected ? theme.selected : {}}>
          {text}
        </Line>
      ))}
    </Box>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  move: 'move to which topic',
  apply: 'what would change',
  applying: 'what changes',
  proposals: 'what the crawl proposes',
  accept: 'action',
};

interface PanelLine {
  readonly text: string;
  readonly isSelected?: boolean;
}

function linesOf(state: ReviewState, columns: number, rows: number): readonly PanelLine[] {
  const { view, places, effect, proposals } = state;
  if (view.kind === 'move') {
    const { from, to } = windowAround(places.length, view.at, rows);
    return places.slice(from, to).map((text, i) => {
      const isSelected = from + i === view.at;
      return { text: `${isSelected ? '›' : ' '} ${text}`, isSelected };
    });
  }
  if (view.kind === 'proposals') {
    if (proposals === undefined) return [{ text: 'Looking …' }];
    if (proposals.length === 0) return [{ text: 'Nothing to propose.' }];
    return proposalLines(proposals, view.at, { columns, rows });
  }
  if (view.kind === 'accept') {
    const act = selectedProposal(state)?.act;
    return plain(act?.kind === 'change' ? act.lines.flatMap((line) => folded(line, columns, '  ')) : [], 0, rows);
  }
  const top = view.kind === 'apply' ? view.top : 0;
  if (effect.kind === 'known') return plain(effect.effect.lines, top, rows);
  return [{ text: effect.kind === 'refused' ? `! ${effect.reason}` : 'Training …' }];
}

/** All proposals, scrolled to the selected one. */
function proposalLines(
  proposals: readonly Proposal[],
  at: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly PanelLine[] {
  const blocks = proposals.map(({ what, act }, i) => {
    const isSelected = i === at;
    const key = act.kind === 'look' ? 'show them' : act.label;
    const lines = [...folded(`${isSelected ? '›' : ' '} ${what}`, columns, '  '), `    Enter: ${key}`];
    return lines.map((text) => ({ text, isSelected }));
  });
  const above = blocks.slice(0, at).flat().length;
  const all = blocks.flat();
  const from = Math.max(0, Math.min(above, all.length - rows));
  return all.slice(from, from + rows);
}

function plain(lines: readonly string[], top: number, rows: number): readonly PanelLine[] {
  return scrolled(lines, top, rows).map((text) => ({ text }));
}
