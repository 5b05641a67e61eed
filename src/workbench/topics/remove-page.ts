import { resolve } from 'node:path';
import { canonicalize, ROOT, UsageError } from '../../core/index.ts';
import { quoted } from '../words/shell-words.ts';
import { everydayPages } from '../workspace/default-counter-examples.ts';
import { changedFile, replaceWorkspaceFile } from '../workspace/edit-topics.ts';
import { findTopic } from '../workspace/find-topic.ts';
import { type ListedPage, type ListOfPages, listsWith, withoutListed } from '../workspace/listed-pages.ts';
import { readWorkspaceFile, WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';

/** A page that was removed from bingo.yaml. */
export interface RemovedPage {
  /** Its canonical URL, or the path of a local document as typed. */
  readonly page: string;
  /** The topic; `OTHERS` or `TOPIC/OTHERS` for counter-examples. */
  readonly topic: string;
  /** The lists that named it. */
  readonly lists: readonly ListOfPages['list'][];
}

/**
 * Removes a page from bingo.yaml, whose comments stay: an example, a seed or a counter-example.
 * @param page its address, or the path of a local document
 * @param place a topic, or `OTHERS` or `TOPIC/OTHERS` for counter-examples. Default: the only place that names the page
 * @throws UsageError if no list names the page, or several topics do; if the place is unknown
 * @throws InputError if the topic would have no example left
 */
export function removePage({ dir, tree }: Workspace, page: string, place?: string): RemovedPage {
  const name = canonicalize(page) ?? page;
  const fits = isPage(dir, page);
  const all = listsWith(readWorkspaceFile(dir, dir), fits);
  const asked = place === undefined || isOthers(place) ? place : findTopic(tree, place);
  const lists = asked === undefined ? all : all.filter((list) => placeOf(list) === asked);
  const [first] = lists;
  if (first === undefined) throw notListed(name, all, asked);
  if (lists.some((list) => placeOf(list) !== placeOf(first))) throw severalPlaces(name, lists);
  replaceWorkspaceFile(
    dir,
    changedFile(dir, (text) => lists.reduce((left, list) => withoutListed(left, list, fits), text)),
  );
  return { page: name, topic: placeOf(first), lists: lists.map(({ list }) => list) };
}

/** Returns true if a list of bingo.yaml names the page. */
export function isListed(dir: string, page: string): boolean {
  return listsWith(readWorkspaceFile(dir, dir), isPage(dir, page)).length > 0;
}

/** Local documents go by their path as written, or from the current folder. */
function isPage(dir: string, page: string): (listed: ListedPage) => boolean {
  const wanted = canonicalize(page);
  if (wanted !== undefined) return ({ url }) => url === wanted;
  return ({ path }) => path !== undefined && (path === page || resolve(dir, path) === resolve(page));
}

function isOthers(place: string): boolean {
  return /^(.*\/)?OTHERS$/.test(place);
}

function placeOf({ topic, list }: ListOfPages): string {
  if (list !== 'others') return topic;
  return topic === ROOT ? 'OTHERS' : `${topic}/OTHERS`;
}

function notListed(name: string, all: readonly ListOfPages[], asked: string | undefined): UsageError {
  if (all.length > 0)
    return new UsageError(`${WORKSPACE_FILE} does not list ${name} under ${asked}.`, commands(name, all));
  const message = `${WORKSPACE_FILE} does not list ${name}.`;
  if (everydayPages().some((url) => url === name))
    return new UsageError(message, 'It may be one of those that the word "everyday" under "others:" stands for.');
  return new UsageError(message, `To reject a page that was crawled: bingo mark DIR --bad ${quoted(name)}`);
}

function severalPlaces(name: string, lists: readonly ListOfPages[]): UsageError {
  return new UsageError(`${WORKSPACE_FILE} lists ${name} in several places.`, commands(name, lists));
}

function commands(name: string, lists: readonly ListOfPages[]): string {
  const places = [...new Set(lists.map(placeOf))];
  return places.map((place) => `bingo remove DIR ${quoted(name)} --topic ${quoted(place)}`).join('\n');
}
