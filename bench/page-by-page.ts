import { unpackCounts } from '../src/core/index.ts';
import { posteriors } from '../src/learn/index.ts';
import type { SpelledBayes } from '../src/meta/index.ts';
import type { Scratch, Store } from '../src/store/index.ts';

/** Stored pages with their terms and the model in tables, to be judged. */
export interface Sampled {
  readonly scratch: Scratch;
  readonly store: Store;
  readonly nodes: readonly SpelledBayes[];
  readonly pages: readonly number[];
}

/** Probabilities of each page at each node. */
export type Answers = readonly (readonly Float64Array[])[];

/** Ways to judge pages one at a time, each with the same answers. */
export const PAGE_BY_PAGE: Readonly<Record<string, (sampled: Sampled) => Promise<Answers>>> = {
  'page by page, a query a term (Focus Fig. 2)': singleProbe,
  'page by page, a query a node': async ({ scratch, nodes, pages }) => {
    const answers: Float64Array[][] = [];
    for (const page of pages) {
      const shares: Float64Array[] = [];
      for (const [n, { classes }] of nodes.entries()) {
        const rows = (await scratch.all(TERMS_OF_NODE, [n, page])) as unknown as [number, number, number, number][];
        const logs = classes.map(() => 0);
        for (const told of Map.groupBy(rows, ([term]) => term).values()) {
          const byChild = new Map(told.map(([, , child, log]) => [child, log]));
          for (const [c, { logDefault }] of classes.entries())
            logs[c]! += told[0]![1] * (byChild.get(c + 1) ?? logDefault);
        }
        shares.push(
          posteriors(
            logs,
            Float64Array.from(classes, ({ logPrior }) => logPrior),
          ),
        );
      }
      answers.push(shares);
    }
    return answers;
  },
  'page by page, in process': async ({ store, nodes, pages }) => {
    const index = nodes.map(({ features }) => new Map(features.map((feature, f) => [feature, f])));
    const answers: Float64Array[][] = [];
    for (const page of pages) {
      const bag = unpackCounts((await store.documents([page])).get(page)!.features.terms!);
      answers.push(nodes.map(({ classes }, n) => inProcess(classes, index[n]!, bag)));
    }
    return answers;
  },
};

const TERMS_OF_NODE = `select d.term, d.count, b.child, b.log_likelihood
  from document_term d cross join bayes_term b on b.term = d.term and b.node = ? where d.page = ?`;

/** Focus Fig. 2: a probe of the index for each term of the page. */
async function singleProbe({ scratch, nodes, pages }: Sampled): Promise<Answers> {
  const answers: Float64Array[][] = [];
  for (const page of pages) {
    const terms = (await scratch.all('select term, count from document_term where page = ?', [page])) as [
      number,
      number,
    ][];
    const shares: Float64Array[] = [];
    for (const [n, { classes }] of nodes.entries()) {
      const logs = new Float64Array(classes.length);
      for (const [term, count] of terms) {
        const found = await scratch.all('select child, log_likelihood from bayes_term where node = ? and term = ?', [
          n,
          term,
        ]);
        if (found.length === 0) continue;
        const told = new Map(found as unknown as [number, number][]);
        classes.forEach(({ logDefault }, c) => {
          logs[c]! += count * (told.get(c + 1) ?? logDefault);
        });
      }
      shares.push(
        posteriors(
          logs,
          Float64Array.from(classes, ({ logPrior }) => logPrior),
        ),
      );
    }
    answers.push(shares);
  }
  return answers;
}

function inProcess(
  classes: SpelledBayes['classes'],
  index: ReadonlyMap<string, number>,
  bag: readonly (readonly [string, number])[],
): Float64Array {
  const logs = new Float64Array(classes.length);
  for (const [term, count] of bag) {
    const feature = index.get(term);
    if (feature === undefined) continue;
    for (let c = 0; c < classes.length; c++) logs[c]! += count * classes[c]!.logLikelihoods[feature]!;
  }
  return posteriors(
    logs,
    Float64Array.from(classes, ({ logPrior }) => logPrior),
  );
}
