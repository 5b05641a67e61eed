import { type CanonicalUrl, canonicalize, safeJson, UsageError } from '../../core/index.ts';
import { WholeDocuments } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { addressForms, paint, rowOfRecord, whyBadUrl, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { answerFor, answerLines, type UrlAnswer } from '../explain/url-answer.ts';
import { wantsColour } from '../process-io.ts';

export const why: Command = {
  name: 'why',
  summary: 'Why a page was found and judged as it was, or why it was not fetched.',
  positionals: ['DIR', 'URL'],
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [
    [
      'bingo why bikes https://www.sheldonbrown.com/',
      'The way there from a seed, the verdict, the terms that decided.',
    ],
  ],
  run: runWhy,
};

async function runWhy(args: Args, io: Io): Promise<number> {
  const [dir = '', text = ''] = args.positionals;
  const forms = addressForms(text);
  if (forms.length === 0) throw notAnAddress(text);
  return withStore(dir, io, async (store, workspace, tables) => {
    const url = await heardOf(store, forms);
    if (url === undefined && canonicalize(text) === undefined) throw notAnAddress(text);
    const source = new WholeDocuments(store, workspace.config);
    const answer = await answerFor(store, url ?? forms[0]!, { source, workspace, tables });
    const lines = answerLines(answer, paint(wantsColour(io, io.stdoutIsTerminal)), io.columns());
    await io.out(args.has('json') ? `${safeJson(answerRow(answer))}\n` : `${lines.join('\n')}\n`);
    return EXIT.done;
  });
}

/** The first of the addresses that the store knows anything of. */
async function heardOf(store: Store, urls: readonly CanonicalUrl[]): Promise<CanonicalUrl | undefined> {
  for (const url of urls) {
    const { page, visits, linkedFrom } = await store.lookup(url);
    if (page !== undefined || visits.length > 0 || linkedFrom.length > 0) return url;
  }
  return undefined;
}

function notAnAddress(text: string): UsageError {
  return new UsageError(`"${text}" is not a URL of the web.`, whyBadUrl(text));
}

function answerRow({ url, facts, reason, path, explanation }: UrlAnswer): object {
  const { page, as, visits, linkedFrom } = facts;
  const state =
    page !== undefined
      ? 'fetched'
      : visits.length > 0
        ? 'not-stored'
        : linkedFrom.length > 0
          ? 'not-fetched'
          : 'unknown';
  return {
    url,
    state,
    reason,
    page: page === undefined ? null : rowOfRecord(page),
    as: as ?? null,
    duplicateOf: page !== undefined && as !== 'page' ? page.finalUrl : null,
    path: path.map(({ url, title, topic, others, confidence, via, anchor, sequence }) => {
      return { url, title, topic: others ? null : topic, confidence, via, anchor, sequence };
    }),
    visits: visits.map(({ result, reason, detail, status, target, retried, fetchedAt }) => {
      return { result, reason, detail, status, target, retried, fetchedAt: new Date(fetchedAt).toISOString() };
    }),
    linkedFrom,
    explanation: explanation ?? null,
  };
}
