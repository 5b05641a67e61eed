import { Box } from 'ink';
import type { ReactElement } from 'react';
import { type OfKind, type Question, readableHost, SITE_WORDS, type SiteUse } from '../../core/index.ts';
import { count, sanitizeForTerminal } from '../../kit/index.ts';
import { urgentAlarms } from '../alarms.ts';
import { openQuestion } from '../derive.ts';
import { footerHints } from '../footer-hints.ts';
import type { DashboardState, LinksToSite } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Keys } from './Keys.tsx';
import { Line } from './Line.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  readonly theme: Theme;
}

/** The three lines at the bottom: alarm or news, remedy or question, keys. */
export function Footer({ state, columns, theme }: Props): ReactElement {
  const [alarm, ...others] = urgentAlarms(state);
  const more = others.length > 0 ? ` (${others.length} more: ?)` : '';
  return (
    <Box flexDirection="column">
      <Line look={alarm === undefined ? {} : theme.bad}>
        {alarm === undefined ? (askedPassage(state) ?? news(state)) : `! ${alarm.message}${more}`}
      </Line>
      <Line look={question(state) === undefined ? {} : theme.strong}>
        {question(state) ?? (state.message || (alarm === undefined ? '' : `  ${alarm.remedy}`))}
      </Line>
      <Keys hints={footerHints(state)} columns={columns} theme={theme} />
    </Box>
  );
}

/** The crawl's last message. */
function news({ round, phaseReason }: DashboardState): string {
  const isPlain = round === undefined || round.undone || round.reason.startsWith('0 archetypes');
  const trained = isPlain ? '' : `model ${round.model}: ${round.reason}`;
  return [phaseReason, trained].filter(Boolean).join('; ');
}

/** The passage of the page that the user is asked about. */
function askedPassage(state: DashboardState): string | undefined {
  const asked = state.view.kind === 'overview' ? openQuestion(state) : undefined;
  return asked === undefined || asked.passage.text === '' ? undefined : sanitizeForTerminal(asked.passage.text);
}

function askedOnTopic({ title, topic }: Question): string {
  return `On topic (${sanitizeForTerminal(topic)})? "${sanitizeForTerminal(title) || '(no title)'}"`;
}

function question(state: DashboardState): string | undefined {
  const { view, sites } = state;
  const asked = openQuestion(state);
  if (view.kind === 'overview' && asked !== undefined) return askedOnTopic(asked);
  if (view.kind === 'confirm') return view.question;
  if (view.kind === 'site') return siteQuestion(view.site, view.links, sites.get(view.site));
  if (view.kind === 'page') return pageQuestion(view);
  if (view.kind === 'filter') return `Filter: ${view.text}▏`;
  if (view.kind === 'topics') return `Topics: ${view.text}▏`;
  if (view.kind === 'quit') return 'Stop the crawl and save? The next run continues from there.';
  return undefined;
}

function pageQuestion({ page, topic }: OfKind<DashboardState['view'], 'page'>): string {
  const what = topic === undefined ? 'some topic' : sanitizeForTerminal(topic);
  return `"${page.title}": an example of ${what}, or none of it?`;
}

function siteQuestion(site: string, links: LinksToSite | undefined, use: SiteUse | undefined): string {
  const name = readableHost(site);
  const what = use === undefined ? '' : `, a ${SITE_WORDS[use]}`;
  if (links === undefined) return `${name}${what}: counting the links that wait for it …`;
  const wait = links.links === 1 ? 'link waits' : 'links wait';
  return `${links.isBound ? 'At most ' : ''}${count(links.links)} ${wait} for ${name}${what}, and hosts below it. Mark it?`;
}
