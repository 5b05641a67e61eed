import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, ROOT } from '../../core/index.ts';
import { PORTAL_LANGUAGES, SECTIONS, THEMES } from '../../postprocess/index.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import { CURATION_FILE, type Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';

/**
 * Writes a portal.yaml to fill in: every key with its meaning, all topics of the workspace.
 * @returns its path
 * @throws BingoError `CURATION_EXISTS` if the workspace has one
 */
export function startCuration(workspace: Workspace): string {
  const path = join(workspace.dir, CURATION_FILE);
  if (existsSync(path))
    throw new BingoError({
      code: 'CURATION_EXISTS',
      message: `${path} exists already.`,
      hint: 'Edit it; the next portal goes by it.',
    });
  replaceFile(path, curationTemplate(workspace));
  return path;
}

/** Returns a portal.yaml to fill in. */
export function curationTemplate(workspace: Workspace): string {
  const topics = [...workspace.tree.nodes.keys()].filter((id) => id !== ROOT);
  return `# How the portal of this workspace looks. Take out the "#" of what you want to use. "bingo portal" goes by this file.
title: ${JSON.stringify(workspaceTitle(workspace))}
# introduction: |
#   A paragraph on the first page.
#
#   An empty line begins the next one.
# about: Who makes this portal, and how pages are chosen.
# contact: editor@example.org
# logo: logo.svg                       # a picture in this folder
# colour: "#0a58a6"                    # of links and buttons; made darker or lighter until it can be read
theme: ${THEMES[0]}                           # ${THEMES.join(', ')}
# thumbnails: true                     # fetch and show the pictures that listed pages name for themselves
language: en                           # of the portal's own words: ${PORTAL_LANGUAGES.join(', ')}
# address: https://example.org/portal/ # where it will be: for sitemap.xml and previews of links
sections: [${SECTIONS.join(', ')}]
# hide: [https://example.org/not-this-page]
topics:                                # shown in this order
${topics.map((id) => topicTemplate(id)).join('')}`;
}

function topicTemplate(id: string): string {
  return `  ${JSON.stringify(id)}:
    # title: A name for the public
    # description: What the topic is about.
    # pin:
    #   - url: https://example.org/the-page-to-read-first
    #     note: Why it comes first.
`;
}
