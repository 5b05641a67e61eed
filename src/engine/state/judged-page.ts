import {
  EMPTY_LINKS,
  LINK_FLAG,
  type Link,
  type LinkTable,
  type PageRecord,
  unpackLinks,
  type VisitRecord,
} from '../../core/index.ts';
import type { JudgedPage } from '../../crawl/index.ts';
import { unwantedAssignment } from '../records.ts';
import type { Pinned } from './jobs.ts';

/** Returns a journaled page for link following, with the links that may be followed. */
export function judgedPage(record: PageRecord, { entry }: Pinned): JudgedPage {
  const { sequence, finalUrl, host, document, assignment } = record;
  const links = document.nofollow ? [] : followed(unpackLinks(document.links));
  const { title, language } = document;
  const page = { sequence, url: finalUrl, host, title, language, assignment, entry, links };
  return { ...page, ...orderedBy(document.links) };
}

/** Like `judgedPage`, for a page that asks not to be stored; see `unwantedAssignment`. */
export function unwantedPage(
  { sequence, url, links = EMPTY_LINKS, language = '' }: VisitRecord,
  job: Pinned,
  decay: number,
): JudgedPage {
  const assignment = unwantedAssignment(job, decay);
  const { entry } = job;
  const { host } = entry;
  const page = { sequence, url, host, title: '', language, assignment, entry, links: followed(unpackLinks(links)) };
  return { ...page, ...orderedBy(links) };
}

function orderedBy({ given }: LinkTable): Pick<JudgedPage, 'orderedBy'> {
  return given === undefined ? {} : { orderedBy: given.ordering };
}

function followed(links: readonly Link[]): Link[] {
  return links.filter((link) => (link.flags & LINK_FLAG.nofollow) === 0);
}
