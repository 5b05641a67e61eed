import { isSiteUse, type Judgement, type LimitName, SITE_WORDS, type SteerCommand, siteOfKey } from '../core/index.ts';
import { count, counted, sanitizeForTerminal } from '../kit/index.ts';
import { duration } from './format.ts';

/** Names of the limits. */
export const LIMIT_LABELS: Readonly<Record<LimitName, string>> = {
  learn: 'pages of a learning phase',
  time: 'time limit of this run',
  tunnel: 'steps behind rejected pages',
  parallel: 'fetches at a time',
};

/** Formats the value of a limit for the user. */
export function limitText(limit: LimitName, value: number): string {
  if (limit === 'time') return value === 0 ? 'none' : duration(value);
  return count(value);
}

/** Describes what a command does, for the message line. */
export function describeCommand(command: SteerCommand): string {
  switch (command.kind) {
    case 'pause':
      return 'Paused. Requests in flight finish. Press p to continue.';
    case 'resume':
      return 'Resumed.';
    case 'end-learning':
      return 'Learning ends after the pages in flight. Then one last training round, then harvesting.';
    case 'begin-learning':
      return 'Learning starts again after the pages in flight; the harvest waits.';
    case 'continue-barren':
      return 'Continuing: the count of irrelevant pages starts from zero.';
    case 'set-budget':
      return `The budget is ${counted(command.budget, 'page')}.`;
    case 'set-limit':
      return `${LIMIT_LABELS[command.limit]}: ${limitText(command.limit, command.value)}.`;
    case 'lock-host':
      return `${command.host} is locked.`;
    case 'mark-topic':
      return command.good ? `${command.topic} is marked good.` : `${command.topic} is no longer good.`;
    case 'set-ordering':
      return `Links are put in the order of "${command.ordering}".`;
    case 'name-topic':
      return command.topic === '' ? `${command.id} was removed.` : `${command.id} is now ${command.topic}.`;
    case 'skip-question':
      return 'Skipped the question.';
    case 'end-questions':
      return 'No more questions in this run.';
    case 'reclassified':
      return `Stored pages were judged again by model ${command.model}.`;
    case 'begin-shard':
      return `From here on this store has only sites of shard ${command.shard} of ${command.shards}.`;
    case 'note-mirror':
      return `${command.host} repeats the pages of ${command.original}: its links are not followed.`;
    case 'judge-page':
      return describeJudgement(command.judgement);
  }
}

/** Describes why a command was rejected. */
export function describeRefusal(command: SteerCommand): string {
  switch (command.kind) {
    case 'pause':
    case 'resume':
      return 'No change: already in that state, or the crawl is ending.';
    case 'end-learning':
      return 'No learning phase to end now.';
    case 'begin-learning':
      return 'Learning again needs a harvesting phase and pages left in the budget; + raises the budget.';
    case 'continue-barren':
      return 'The crawl finds relevant pages; there is nothing to continue.';
    case 'set-budget':
      return 'The budget already has this value.';
    case 'set-limit':
      return command.limit === 'parallel'
        ? 'A crawl that fetches one page at a time cannot change that.'
        : `${LIMIT_LABELS[command.limit]} already has this value.`;
    case 'lock-host':
      return `${command.host} is already locked.`;
    case 'mark-topic':
      return 'At least one topic stays good: it is what the crawl is for.';
    case 'set-ordering':
      return `The ordering is already "${command.ordering}".`;
    case 'name-topic':
      return 'Topics are changed in bingo.yaml: bingo topic --help.';
    case 'skip-question':
    case 'end-questions':
      return 'No question waits for an answer.';
    case 'note-mirror':
      return 'Mirrors are found by the crawl itself.';
    case 'begin-shard':
      return 'A crawl is spread while it does not run: bingo spread.';
    case 'reclassified':
      return 'Stored pages are judged again when the crawl has ended.';
    case 'judge-page':
      return 'A topic would be left without an example, or is not in the tree.';
  }
}

function describeJudgement({ title, key, use, topic }: Judgement): string {
  const site = siteOfKey(key);
  if (site !== undefined) return describeSiteMark(site, use);
  const page = sanitizeForTerminal(title === '' ? key : title);
  switch (use) {
    case 'example':
      return `"${page}" is an example of ${topic} now.`;
    case 'others':
      return `"${page}" is a page of ${topic === '' ? '' : `${topic}/`}OTHERS now.`;
    case 'dropped':
      return `"${page}" is no longer a training page.`;
    case 'bad-site':
    case 'good-site':
      return `"${page}" is a ${SITE_WORDS[use]}.`;
    case 'free':
      return `What was decided on "${page}" is undone.`;
  }
}

function describeSiteMark(site: string, use: Judgement['use']): string {
  if (!isSiteUse(use)) return `Removed the mark of ${site}; its links have their usual priority again.`;
  const what = use === 'bad-site' ? 'not fetched again; its pages leave their topics' : 'links to it go first';
  return `${site} is a ${SITE_WORDS[use]}: ${what}.`;
}

/** Describes a command that takes effect once another process reads the request. */
export function describeRequest(command: SteerCommand): string {
  return `Asked the crawl. ${describeCommand(command)}`;
}
