import { tmpdir } from 'node:os';
import { type Config, DEFAULTS, UsageError } from '../../core/index.ts';
import { analyzerSettings, PageAnalyzer } from '../../engine/index.ts';
import { fetchedDocument } from '../classify/read-document.ts';
import { addressForms } from '../workspace/typed-address.ts';
import { serviceResults } from './service-seeds.ts';

/** What an example page says. */
export interface ExampleLook {
  readonly url: string;
  readonly title: string;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** Words of its text. */
  readonly words: number;
  /** The beginning of its text. */
  readonly passage: string;
  /** Why it cannot be an example; absent if it can. */
  readonly problem?: string;
}

/** Looks at pages before there is a workspace. */
export interface Scout {
  /** Fetches pages under the rules of a crawl and reports what each says. Nothing is stored. */
  look(urls: readonly string[], contact: string): Promise<readonly ExampleLook[]>;
  /**
   * Asks a service for pages about a question.
   * @throws BingoError `SEARCH_SERVICE` with cause and remedy
   */
  ask(question: string, service: string): Promise<readonly { readonly url: string; readonly title: string }[]>;
}

const PASSAGE_CHARS = 200;
/** Pages that are looked at together. */
const AT_ONCE = 4;

/** Returns a scout that fetches with these settings. */
export function openScout(config: Config = DEFAULTS): Scout {
  return {
    look: async (urls, contact) => {
      const own = { ...config, network: { ...config.network, contact: contact || config.network.contact } };
      const looks: ExampleLook[] = [];
      for (let at = 0; at < urls.length; at += AT_ONCE)
        looks.push(...(await Promise.all(urls.slice(at, at + AT_ONCE).map((url) => lookAt(url, own)))));
      return looks;
    },
    ask: async (question, service) => {
      const network = { ...config.network, searchService: service };
      return (await serviceResults({ network }, question)).map(({ url, title }) => ({ url, title }));
    },
  };
}

async function lookAt(typed: string, config: Config): Promise<ExampleLook> {
  const none = { url: typed, title: '', language: '', words: 0, passage: '' };
  const [url] = addressForms(typed);
  if (url === undefined) return { ...none, problem: 'This is not a web address.' };
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  try {
    // Nothing is read from this folder: without a workspace, no cookies and no archive are set.
    const page = await fetchedDocument(url, { dir: tmpdir(), config });
    const analysis = await analyzer.analyze(page, 'learning');
    if (analysis.kind === 'unusable') return { ...none, problem: `${analysis.detail || analysis.reason}.` };
    const { title, language, text } = analysis.document;
    const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
    return {
      ...{ url: typed, title, language, words },
      passage: text
        .replace(/[\s\u2800]+/g, ' ')
        .trim()
        .slice(0, PASSAGE_CHARS),
    };
  } catch (error) {
    if (error instanceof UsageError) return { ...none, problem: error.message };
    throw error;
  } finally {
    await analyzer.close();
  }
}
