import { Box } from 'ink';
import type { ReactElement } from 'react';
import { count, counted, sanitizeForTerminal } from '../../kit/index.ts';
import type { RejectedGroup } from '../../workbench/index.ts';
import { joinFitting, toWidth } from '../format.ts';
import { groupDecision } from '../review/groups.ts';
import type { ReviewState } from '../review/review-state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly state: ReviewState;
  readonly columns: number;
  /** Rows, including the title. */
  readonly height: number;
  readonly theme: Theme;
}

/** Rows of the selected group: its words, hosts and example titles. */
const TITLES = 3;

/** Replaces the page's text: the groups of rejected pages, with the titles of the selected one. */
export function GroupPanel({ state, columns, height, theme }: Props): ReactElement {
  const rows = rowsOf(state, columns, height - 1);
  return (
    <Box flexDirection="column" width={columns} height={height} overflow="hidden">
      <Title text={titleOf(state)} width={columns} isActive theme={theme} />
      {rows.map(({ text, isSelected }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={i} look={isSelected ? theme.selected : {}}>
          {text}
        </Line>
      ))}
    </Box>
  );
}

function titleOf({ groups }: ReviewState): string {
  return groups.kind === 'known' ? `rejected pages, ${counted(groups.groups.length, 'group')}` : 'rejected pages';
}

interface Row {
  readonly text: string;
  readonly isSelected?: boolean;
}

/** All groups, scrolled to the selected one, whose titles and hosts follow it. */
function rowsOf(state: ReviewState, columns: number, height: number): readonly Row[] {
  const { groups, view } = state;
  if (groups.kind !== 'known') {
    const progress = groups.kind === 'reading' ? `: ${count(groups.read)} of ${counted(groups.of, 'page')} read` : '';
    return [{ text: `Grouping rejected pages${progress} …` }];
  }
  if (groups.groups.length === 0) return [{ text: 'No rejected pages to group.' }];
  const at = view.kind === 'groups' || view.kind === 'group-name' ? view.at : 0;
  const blocks = groups.groups.map((group, i) => block(state, group, { columns, isSelected: i === at }));
  const above = blocks.slice(0, at).flat().length;
  const all = blocks.flat();
  const from = Math.max(0, Math.min(above - 1, all.length - height));
  return all.slice(from, from + height);
}

function block(
  state: ReviewState,
  group: RejectedGroup,
  { columns, isSelected }: { readonly columns: number; readonly isSelected: boolean },
): readonly Row[] {
  const { number, pages, words, examples, hosts } = group;
  const decision = groupDecision(state, group);
  const size = `${count(pages)}`.padStart(6);
  const label = sanitizeForTerminal(words.slice(0, 6).join(', '));
  const head = `${isSelected ? '›' : ' '} ${String(number).padStart(2)} ${size}  `;
  const width = columns - head.length - (decision === '' ? 0 : decision.length + 3);
  const text = `${head}${toWidth(label, width)}${decision === '' ? '' : ` × ${decision}`}`;
  if (!isSelected) return [{ text }];
  const titles = examples
    .slice(0, TITLES)
    .map(({ title, url }) => ({ text: `       ${sanitizeForTerminal(title) || sanitizeForTerminal(url)}` }));
  const own = hosts.map(({ host, pages: n }) => `${sanitizeForTerminal(host)} (${count(n)})`);
  const sites = own.length === 0 ? 'every site also has accepted pages' : joinFitting(own, columns - 25);
  return [{ text, isSelected }, ...titles, { text: `       only rejected: ${sites}` }];
}
