import { goodTopics, isOthersOrigin, type TopicId } from '../../core/index.ts';
import { count, counted, percent } from '../../kit/index.ts';
import { subtopicsOf } from '../judging/adopt-subtopics.ts';
import type { FeedbackSession } from '../judging/apply-feedback.ts';
import { clusterTopic } from '../judging/topic-clusters.ts';
import { quoted } from '../words/shell-words.ts';
import { sanitizeForTerminal, truncate } from '../words/terminal.ts';
import type { Subtopic } from '../workspace/edit-topics.ts';
import { WORKSPACE_FILE } from '../workspace/workspace.ts';
import { reviewCandidates } from './candidates.ts';
import { denseSites } from './dense-sites.ts';
import type { Proposal } from './review-page.ts';

/** An unwanted topic is reported if it has at least this share of all pages, and this number. */
const MANY_SHARE = 0.05;
const MANY_PAGES = 10;
/** Minimum number of a topic's pages for proposing a split. */
const SPLIT_PAGES = 30;
/** A group with a smaller share of its topic is not proposed as a topic. */
const SPLIT_SHARE = 0.15;
/** Sufficient number of training pages of a topic. */
const ENOUGH_EXAMPLES = 5;
/**
 * Maximum number of pages listed per proposal, and maximum width of a title: one long title must not hide other
 * proposals.
 */
const NAMED = 3;
const NAME_COLUMNS = 60;

/** A proposal for programs: its subject, and the figures behind it. */
export interface FoundProposal extends Proposal {
  readonly kind: 'pages-near-examples' | 'topic-with-many-pages' | 'split' | 'few-examples' | 'site-examples';
  readonly data: Readonly<Record<string, unknown>>;
  /** The topics that a split creates. */
  readonly subtopics?: readonly Subtopic[];
}

/** A proposal in JSON output. */
export function proposalRow({ kind, topic, what, how, data }: FoundProposal): object {
  return { topic, what, how, kind, data };
}

/** Returns the proposals for all target topics or one of them. Looking for splits takes some seconds. */
export async function findProposals(
  session: Pick<FeedbackSession, 'store' | 'desk'>,
  dir: string,
  only: TopicId | undefined,
): Promise<readonly FoundProposal[]> {
  const { desk } = session;
  const topics = goodTopics(desk.tree).flatMap(({ id }) => (only === undefined || id === only ? [id] : []));
  return [
    ...fewExamples(session, dir, topics),
    ...(await near(session, dir, topics)),
    ...(await fromGoodSites(session, dir, topics)),
    ...(only === undefined ? await crowded(session, dir) : []),
    ...(await splits(session, dir, topics)),
  ];
}

function fewExamples(
  { desk }: Pick<FeedbackSession, 'desk'>,
  dir: string,
  topics: readonly TopicId[],
): FoundProposal[] {
  return topics.flatMap((topic): FoundProposal[] => {
    const pages = desk.training().filter((page) => page.topic === topic && !isOthersOrigin(page.origin)).length;
    if (pages >= ENOUGH_EXAMPLES) return [];
    if (pages === 0) return [notLearned(topic, dir)];
    const candidates = desk.nominees(topic, 100).length;
    const others =
      candidates === 0
        ? `no stored page is a likely example: name more in ${WORKSPACE_FILE}.`
        : `${counted(candidates, 'stored page')} could also be ${candidates === 1 ? 'an example' : 'examples'}.`;
    const what = `"${show(topic)}" learns from ${counted(pages, 'page')}; ${others}`;
    const how = `bingo review ${quoted(dir)} --topic ${quoted(topic)}`;
    return [{ kind: 'few-examples', topic, what, how, data: { pages, candidates }, act: { kind: 'look' } }];
  });
}

/** A topic that was added to bingo.yaml after the last round, or none of whose examples could be fetched so far. */
function notLearned(topic: TopicId, dir: string): FoundProposal {
  const how = `bingo crawl ${quoted(dir)}`;
  const what = `"${show(topic)}" is not learned yet: the next crawl learns it from its examples in ${WORKSPACE_FILE}.`;
  return { kind: 'few-examples', topic, what, how, data: { pages: 0, candidates: 0 }, act: { kind: 'look' } };
}

async function near(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  dir: string,
  topics: readonly TopicId[],
): Promise<FoundProposal[]> {
  const found = await reviewCandidates(store, desk, topics);
  return [...found.near].flatMap(([topic, pages]): FoundProposal[] => {
    const [first] = pages;
    if (first === undefined) return [];
    const titles = pages.slice(0, NAMED).map(({ title, url }) => truncate(show(title) || url, NAME_COLUMNS));
    const more = pages.length > NAMED ? ' …' : '';
    const what = `${counted(pages.length, 'rejected page')} near the examples of "${show(topic)}", much like them: ${titles.join('; ')}${more}`;
    const how = `bingo mark ${quoted(dir)} --topic ${quoted(topic)} --good ${quoted(first.url)} --preview`;
    const data = { pages: pages.map(({ url, title, score }) => ({ url, title, cosine: score })) };
    return [{ kind: 'pages-near-examples', topic, what, how, data, act: { kind: 'look', key: first.url } }];
  });
}

/** Pages of sites that the user marked good and that are mostly about a topic. */
async function fromGoodSites(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  dir: string,
  topics: readonly TopicId[],
): Promise<FoundProposal[]> {
  const learned = new Set(desk.training().map(({ key }) => key));
  return (await denseSites(store, topics, learned)).map(({ topic, site, fetched, relevant, pages }) => {
    const titles = pages.map(({ title, url }) => truncate(show(title) || url, NAME_COLUMNS));
    const what = `${site}, which you marked good, has ${counted(relevant, 'page')} of "${show(topic)}" among ${count(fetched)}. Examples could be: ${titles.join('; ')}`;
    const how = `bingo mark ${quoted(dir)} --topic ${quoted(topic)} --good ${pages.map(({ url }) => quoted(url)).join(' ')} --preview`;
    const data = { site, fetched, relevant, pages };
    return { kind: 'site-examples', topic, what, how, data, act: { kind: 'look', key: pages[0]?.url ?? '' } };
  });
}

/** Topics of the tree that are not target topics but receive many fetched pages. */
async function crowded(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  dir: string,
): Promise<FoundProposal[]> {
  const rows = (await store.status()).topics.map(({ topic, accepted, others }) => ({
    topic,
    pages: accepted + others,
  }));
  const total = rows.reduce((sum, { pages }) => sum + pages, 0);
  const found: FoundProposal[] = [];
  for (const { topic, pages } of rows) {
    const node = desk.tree.nodes.get(topic);
    if (node === undefined || node.good || node.parent === undefined) continue;
    if (pages < MANY_PAGES || pages < MANY_SHARE * total) continue;
    const what = `${count(pages)} of ${counted(total, 'page')} (${percent(pages / total)}) are on "${show(topic)}", which is not marked good.`;
    found.push({
      kind: 'topic-with-many-pages',
      topic,
      what,
      how: `bingo topic good ${quoted(dir)} ${quoted(topic)}  (or g in the dashboard)`,
      data: { pages, of: total },
      act: {
        kind: 'change',
        label: 'mark it good',
        lines: [
          `"${show(topic)}" is marked good, so the crawl also collects its pages. Bingo trains again and judges every stored page again.`,
        ],
      },
    });
  }
  return found;
}

async function splits(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  dir: string,
  topics: readonly TopicId[],
): Promise<FoundProposal[]> {
  const found: FoundProposal[] = [];
  for (const topic of topics) {
    const { pages, sampled, clusters } = await clusterTopic(store, topic, { sampleOnly: true });
    const subtopics = subtopicsOf(
      clusters.filter((cluster) => cluster.pages >= SPLIT_SHARE * pages),
      topic,
      desk.tree,
    );
    const groups = clusters.filter((cluster) => cluster.pages >= SPLIT_SHARE * pages);
    if (pages < SPLIT_PAGES || groups.length < 2 || subtopics.length < 2) continue;
    const isWhole = sampled === pages;
    const size = (n: number): string => (isWhole ? count(n) : `about ${percent(n / pages)}`);
    const names = groups.map(({ words, pages: n }) => `${show(words.slice(0, 3).join(' '))} (${size(n)})`);
    const bySample = isWhole ? '' : `, by a sample of ${count(sampled)}`;
    const what = `The ${counted(pages, 'page')} of "${show(topic)}" look like ${counted(groups.length, 'thing')}${bySample}: ${names.join(', ')}.`;
    const how = `bingo cluster ${quoted(dir)} ${quoted(topic)}`;
    const data = { pages, sampled, groups: groups.map(({ words, pages: n }) => ({ words, pages: n })) };
    const act = { kind: 'change' as const, label: 'make them topics below it', lines: splitLines(subtopics) };
    found.push({ kind: 'split', topic, what, how, data, act, subtopics });
  }
  return found;
}

function splitLines(subtopics: readonly Subtopic[]): readonly string[] {
  return [
    `${WORKSPACE_FILE} gets these topics, with their most typical pages as examples. Bingo learns them and judges every stored page again.`,
    ...subtopics.flatMap(({ parent, name, examples }) => [
      show(`${parent}/${name}`),
      ...examples.slice(0, 3).map((url) => `    ${show(url)}`),
    ]),
  ];
}

function show(text: string): string {
  return sanitizeForTerminal(text);
}
