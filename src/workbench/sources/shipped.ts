import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Example, InputError, type TopicSpec, UsageError } from '../../core/index.ts';
import { hasContent } from '../../postprocess/index.ts';
import { didYouMean } from '../words/suggest.ts';
import { everydayPages } from '../workspace/default-counter-examples.ts';
import { PACKAGE_ROOT } from '../workspace/product.ts';
import { TopicFileReader } from '../workspace/topic-file.ts';
import { YamlReader } from '../workspace/yaml-reader.ts';
import { parseUrlList } from './url-list.ts';

const TOPICS_DIR = join(PACKAGE_ROOT, 'topics');
const OTHERS_FILE = 'others.yaml';

/** A topic tree in a file: its topics, its description, and its own counter-examples if it has any. */
export interface TreeFile {
  readonly about: string;
  readonly topics: readonly TopicSpec[];
  readonly others: readonly Example[];
}

/** Names of the topic trees that are part of Bingo. */
export function shippedTrees(): readonly string[] {
  return readdirSync(TOPICS_DIR)
    .filter((name) => name.endsWith('.yaml') && name !== OTHERS_FILE)
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/** @throws UsageError if no tree has this name */
export function readShippedTree(name: string): TreeFile {
  const trees = shippedTrees();
  if (!trees.includes(name)) {
    throw new UsageError(`Unknown topic tree "${name}".`, didYouMean(name, trees) ?? `There are: ${trees.join(', ')}.`);
  }
  return readTreeFile(readFileSync(join(TOPICS_DIR, `${name}.yaml`), 'utf8'), `topics/${name}.yaml`);
}

/** Parses a file in the format of `topics/*.yaml`. */
function readTreeFile(text: string, file: string): TreeFile {
  const yaml = new YamlReader(text, file);
  const entries = yaml.isReadable ? yaml.entries(yaml.root, ['about', 'topics', 'others'], 'a topic tree') : undefined;
  const reader = new TopicFileReader(yaml, { findFile: () => undefined, hasContent });
  const topics = yaml.isReadable ? reader.topics(entries?.get('topics')) : [];
  const others = reader.others(entries?.get('others'));
  if (yaml.mistakes.length > 0) throw new InputError('The topic tree has mistakes', yaml.mistakes);
  return { about: String(yaml.plain(entries?.get('about')?.value) ?? ''), topics, others };
}

/** General pages on everyday subjects, the default counter-examples of workspaces. */
export function shippedOthers(): readonly Example[] {
  return everydayPages().map((url) => ({ kind: 'url', url }));
}

/** Parses counter-examples: YAML with `others:`, or one URL per line. */
export function parseOthers(text: string, file: string): readonly Example[] {
  if (!/^others:/m.test(text)) return plainOthers(text, file);
  const yaml = new YamlReader(text, file);
  const entries = yaml.isReadable ? yaml.entries(yaml.root, ['about', 'others'], 'a list of OTHERS') : undefined;
  const others = new TopicFileReader(yaml, { findFile: () => undefined, hasContent }).others(entries?.get('others'));
  if (yaml.mistakes.length > 0) throw new InputError('The list of OTHERS has mistakes', yaml.mistakes);
  return others;
}

function plainOthers(text: string, file: string): readonly Example[] {
  const { urls, mistakes } = parseUrlList(text, file, 'OTHERS');
  if (mistakes.length > 0) throw new InputError('The list of OTHERS has mistakes', mistakes);
  return [...new Set(urls)].map((url) => ({ kind: 'url', url }));
}
