import { type Config, LINK_FLAG, type TopicId } from '../../core/index.ts';
import { isThere } from '../read/endings.ts';
import { MAX_CHARS } from '../schema.ts';
import type { AuthorityScores } from '../store.ts';
import { addOutsideLinks, OUTSIDE_NODES, type OutsideLink } from './outside-links.ts';
import { numberOf, type Scratch, type ScratchTable } from './scratch.ts';

export type SqlDistillOptions = Pick<
  Config['distill'],
  'maxBaseSet' | 'maxPredecessors' | 'relevanceThreshold' | 'tolerance' | 'maxIterations'
> & {
  /** Number of hubs and authorities returned. > 0 */
  readonly limit: number;
  /** If true, also returns the authority of every page. Default: false. */
  readonly every?: boolean;
  /** Links from pages outside, by canonical URLs. Default: none. */
  readonly outside?: readonly OutsideLink[] | undefined;
};

/** Hubs and authorities of a topic. */
export interface SqlDistillation {
  /** Pages of the topic in the base set. */
  readonly positives: number;
  /** Pages in the base set. */
  readonly nodes: number;
  /** Number of links with a weight. */
  readonly edges: number;
  readonly iterations: number;
  readonly converged: boolean;
  /** Best hubs first; hubs that score 0 are left out. */
  readonly hubs: readonly RankedPage[];
  readonly authorities: readonly RankedPage[];
  /** Authority of every page, if requested. */
  readonly every?: AuthorityScores;
}

export interface RankedPage {
  /** Its sequence; 0 for a page outside the store. */
  readonly page: number;
  readonly url: string;
  readonly title: string;
  readonly relevance: number;
  /** In [0,1]; all scores sum to 1. */
  readonly score: number;
}

/** The two ends of a link use two node tables, because MySQL can open a temporary table only once per statement. */
const NODE: ScratchTable = {
  columns: { node: 'big', host: 'host', relevance: 'real', positive: 'int' },
  key: ['node'],
};
const SCORE: ScratchTable = { columns: { node: 'big', score: 'real' }, key: ['node'] };
const TABLES: Readonly<Record<string, ScratchTable>> = {
  // Pages whose links are read: pages of the topic and possible predecessors.
  member: { columns: { page: 'big', positive: 'int', relevance: 'real' }, key: ['page'] },
  // The node id of a fetched page is its sequence; of any other page, its negated URL id.
  citation: { columns: { source: 'big', target: 'big' }, key: ['source', 'target'] },
  source_node: NODE,
  target_node: NODE,
  edge: {
    columns: { source: 'big', target: 'big', forward: 'real', backward: 'real' },
    key: ['source', 'target'],
    indexes: [['target', 'source']],
  },
  // Scores of this iteration and of the previous one, alternating.
  hubs_0: SCORE,
  hubs_1: SCORE,
  auth_0: SCORE,
  auth_1: SCORE,
};

/**
 * Distillation of a topic in SQL (Focus Fig. 4) over the stored pages. Uses the same base set as a training round,
 * and the same edge weights, start, normalisation and stop rule as `distill` in `graph`. The scores are therefore the
 * same.
 */
export async function distillInSql(
  scratch: Scratch,
  topic: TopicId,
  options: SqlDistillOptions,
): Promise<SqlDistillation> {
  for (const [name, table] of Object.entries(TABLES)) await scratch.make(name, table);
  await fillMembers(scratch, topic, options);
  await fillCitations(scratch);
  await fillNodes(scratch);
  const outside = await addOutsideLinks(scratch, options.outside ?? []);
  await weighEdges(scratch, options.relevanceThreshold);
  const edges = await numberOf(scratch, 'select count(*) from edge');
  const { last, ...end } = edges === 0 ? NOTHING : await iterate(scratch, options);
  return {
    positives: await numberOf(scratch, 'select count(*) from member where positive = 1'),
    nodes: await numberOf(scratch, 'select count(*) from source_node'),
    edges,
    ...end,
    hubs: await best(scratch, { table: `hubs_${last}`, limit: options.limit, outside }),
    authorities: await best(scratch, { table: `auth_${last}`, limit: options.limit, outside }),
    ...(options.every && { every: await everyAuthority(scratch, last) }),
  };
}

async function everyAuthority(scratch: Scratch, last: Generation): Promise<AuthorityScores> {
  const rows = (await scratch.all(
    `select node, score from auth_${last} where node > 0 and score > 0`,
  )) as readonly (readonly [number, number])[];
  return { pages: rows.map(([page]) => page), scores: rows.map(([, score]) => score) };
}

/** Selects the topic's most confident pages and the most relevant rejected pages. */
async function fillMembers(
  scratch: Scratch,
  topic: TopicId,
  { maxBaseSet, maxPredecessors }: SqlDistillOptions,
): Promise<void> {
  // Pages that no longer exist are left out on both ends of a link.
  const there = await isThere(scratch.db, 'p');
  await scratch.run(
    `insert into member select p.sequence, 1, coalesce(p.relevance, 0e0) from page p
    left join page_score s on s.page = p.sequence and s.topic = p.topic
    where p.topic = ? and p.others = 0 and p.replaced_by is null and ${there}
    order by coalesce(s.calibrated, 0e0) desc, p.sequence limit ?`,
    [topic, maxBaseSet],
  );
  await scratch.run(
    `insert into member select p.sequence, 0, p.relevance from page p
    where p.role = 'crawled' and p.others = 1 and p.relevance > 0 and p.replaced_by is null and ${there}
      and exists (select 1 from link where link.page = p.sequence and ${FOLLOWED})
    order by p.relevance desc, p.sequence limit ?`,
    [maxPredecessors],
  );
}

const FOLLOWED = `(link.flags & ${LINK_FLAG.nofollow}) = 0`;

/**
 * Links of the members, each pair once. An alias counts as the page to which it leads. The cross join makes SQLite begin
 * with the members: it knows nothing of a temporary table, and would read all links.
 */
async function fillCitations(scratch: Scratch): Promise<void> {
  const target = 'coalesce(p.replaced_by, p.sequence, -link.target)';
  await scratch.run(
    `insert into citation select distinct m.page, ${target} from member m
    cross join link on link.page = m.page
    left join alias a on a.url_id = link.target
    left join page p on p.sequence = a.page
    where ${FOLLOWED} and ${target} <> m.page`,
  );
}

/** Nodes: the topic's pages, their link targets, and the rejected pages that link to them. */
async function fillNodes(scratch: Scratch): Promise<void> {
  const absent = scratch.dialect.insertAbsent;
  await scratch.run(
    `insert into source_node select m.page, ${hostOfUrl('p.final_url')}, m.relevance, 1
    from member m join page p on p.sequence = m.page where m.positive = 1`,
  );
  await scratch.run(
    `${absent} into source_node select c.target, ${hostOfUrl('coalesce(p.final_url, url.url)')}, coalesce(p.relevance, 0e0), 0
    from member m join citation c on c.source = m.page
    left join page p on p.sequence = c.target
    left join url on url.id = -c.target
    where m.positive = 1`,
  );
  await scratch.run('insert into target_node select node, host, relevance, positive from source_node');
  await scratch.run(
    `${absent} into source_node select m.page, ${hostOfUrl('p.final_url')}, m.relevance, 0
    from member m join page p on p.sequence = m.page
    join citation c on c.source = m.page
    join target_node t on t.node = c.target
    where m.positive = 0 and t.positive = 1`,
  );
  await scratch.run(`${absent} into target_node select node, host, relevance, positive from source_node`);
}

/** Returns the host, with its port, of a canonical URL. */
function hostOfUrl(url: string): string {
  const rest = `substr(${url}, instr(${url}, '//') + 2)`;
  const host = `case instr(${rest}, '/') when 0 then ${rest} else substr(${rest}, 1, instr(${rest}, '/') - 1) end`;
  return `substr(${host}, 1, ${MAX_CHARS.host})`;
}

/**
 * E_F = R(v)/k if k pages of u's host link to v; E_B = R(u)/l if u links to l pages of v's host. Links within a host
 * are ignored. Only targets in the topic with R > ρ count.
 */
async function weighEdges(scratch: Scratch, threshold: number): Promise<void> {
  await scratch.run(
    `insert into edge
    select source, target, target_relevance / per_target, source_relevance / per_source from (
      select c.source as source, c.target as target,
        s.relevance as source_relevance, t.relevance as target_relevance, t.positive as positive,
        count(*) over (partition by s.host, c.target) as per_target,
        count(*) over (partition by c.source, t.host) as per_source
      from citation c
      join source_node s on s.node = c.source
      join target_node t on t.node = c.target
      where s.host <> t.host
    ) weighed
    where positive = 1 and target_relevance > ?`,
    [threshold],
  );
}

/**
 * Iterates (Focus Fig. 4) until the sum of all changes is at most the tolerance. @returns also the tables with the
 * last scores
 */
async function iterate(scratch: Scratch, { tolerance, maxIterations }: SqlDistillOptions): Promise<End> {
  // All authorities start equal. Their sum does not matter, because hubs are normalised before the first comparison.
  await scratch.run('insert into auth_0 select distinct target, 1e0 from edge');
  let iterations = 0;
  let converged = false;
  while (!converged && iterations < maxIterations) {
    const before = iterations % 2 === 0 ? 0 : 1;
    iterations++;
    const change = await scratch.transaction(() => update(scratch, before, before === 0 ? 1 : 0));
    converged = change <= tolerance;
  }
  return { iterations, converged, last: iterations % 2 === 0 ? 0 : 1 };
}

type Generation = 0 | 1;
const NOTHING: End = { iterations: 0, converged: true, last: 1 };

interface End {
  readonly iterations: number;
  readonly converged: boolean;
  /** Tables with the last scores. */
  readonly last: Generation;
}

/** UpdateHubs and UpdateAuth. @returns the sum of all changes */
async function update(scratch: Scratch, before: Generation, after: Generation): Promise<number> {
  await scratch.run(`delete from hubs_${after}`);
  await scratch.run(
    `insert into hubs_${after} ${toSumOne(`select e.source as node, sum(e.backward * a.score) as score
    from edge e join auth_${before} a on a.node = e.target group by e.source`)}`,
  );
  await scratch.run(`delete from auth_${after}`);
  await scratch.run(
    `insert into auth_${after} ${toSumOne(`select e.target as node, sum(e.forward * h.score) as score
    from edge e join hubs_${after} h on h.node = e.source group by e.target`)}`,
  );
  const change = (scored: string): string =>
    `(select sum(abs(n.score - coalesce(b.score, 0e0)))
      from ${scored}_${after} n left join ${scored}_${before} b on b.node = n.node)`;
  return await numberOf(scratch, `select ${change('hubs')} + ${change('auth')}`);
}

function toSumOne(scores: string): string {
  return `select node, coalesce(score / nullif(sum(score) over (), 0e0), 0e0) from (${scores}) unscaled`;
}

interface Ranking {
  readonly table: string;
  readonly limit: number;
  /** URLs of the nodes outside the store. */
  readonly outside: ReadonlyMap<number, string>;
}

/** Scores that agree to twelve decimals count as equal, because the order of summation changes the rest. */
async function best(scratch: Scratch, { table, limit, outside }: Ranking): Promise<RankedPage[]> {
  const rows = await scratch.all(
    `select s.node, p.final_url, p.title, n.relevance, s.score from ${table} s
    join source_node n on n.node = s.node
    left join page p on p.sequence = s.node
    where s.score > 0 and (p.sequence is not null or s.node <= ?)
    order by round(s.score, 12) desc, p.final_url, s.node desc limit ?`,
    [OUTSIDE_NODES, limit],
  );
  return (rows as readonly [number, string | null, string | null, number, number][]).map(
    ([node, url, title, relevance, score]) => {
      const page = url === null ? 0 : node;
      return { page, url: url ?? outside.get(node) ?? '', title: title ?? '', relevance, score };
    },
  );
}
