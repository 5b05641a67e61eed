import { join } from 'node:path';
import * as z from 'zod';
import { PORTAL_LANGUAGES, SECTIONS as PORTAL_SECTIONS, THEMES } from '../../postprocess/index.ts';
import {
  curationFields,
  curationText,
  loadForReading,
  SECTIONS,
  saveCuration,
  saveCurationFields,
  topicsInText,
} from '../../workbench/index.ts';
import { url } from '../schemas.ts';
import { type Operation, operation } from './operation.ts';

/** Folder of a workspace with the portal that the server writes and shows. */
export const SITE_FOLDER = 'site';

const ok = z.object({ done: z.literal(true) });
const DONE = { done: true } as const;
const topic = z.string().min(1).max(500);
const examples = z.array(url).min(1).max(1_000);
const value = z.union([z.string().max(4_000), z.number(), z.boolean()]);

const fields = z.object({
  title: z.string().max(1_000),
  introduction: z.string().max(100_000).describe('Empty lines part paragraphs.'),
  about: z.string().max(100_000),
  contact: z.string().max(1_000).describe('A mail address or URL.'),
  colour: z.string().max(20).describe('Of links and buttons, as #rrggbb.'),
  theme: z.string().max(20),
  language: z.string().max(40),
  address: z.string().max(2_000).describe('Where the portal will be.'),
  sections: z.array(z.string().max(20)).max(20).readonly().describe('In the order shown.'),
  hide: z.array(z.string().max(8_000)).max(10_000).readonly().describe('Pages that are not shown.'),
  topics: z
    .array(
      z.object({
        topic: z.string(),
        title: z.string().max(1_000),
        description: z.string().max(10_000),
        pin: z
          .array(z.object({ url: z.string().max(8_000), note: z.string().max(2_000) }))
          .max(1_000)
          .readonly(),
      }),
    )
    .max(10_000)
    .readonly(),
});

/** Operations that make workspaces, edit bingo.yaml and portal.yaml, and publish. */
export const CURATING: readonly Operation[] = [
  operation({
    id: 'createWorkspace',
    method: 'post',
    path: '/workspaces',
    summary: 'Make a workspace in the folder of bingo studio',
    scope: 'steer',
    body: z.object({
      name: z.string().min(1).max(60).describe('Name of its folder: letters, digits, hyphens, underscores.'),
      topics: z.array(z.object({ name: topic, examples: z.array(url).max(1_000) })).max(500),
      documents: z
        .array(
          z.object({
            topic,
            name: z.string().min(1).max(200).describe('Name of the file; its extension names the format.'),
            base64: z.base64().describe('Its bytes.'),
          }),
        )
        .max(200)
        .optional()
        .describe('Documents that become examples.'),
      contact: z.string().max(200).optional().describe('How site owners reach the user: a mail address or URL.'),
    }),
    answer: z.object({ name: z.string() }),
    isUpload: true,
    run: async ({ workspaces, body: { documents = [], ...body } }) => {
      const files = documents.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
      return { name: (await workspaces.create({ ...body, documents: files })).name };
    },
  }),
  operation({
    id: 'readList',
    method: 'post',
    path: '/lists',
    summary: 'Read topics and pages from bookmarks, OPML, CSV, JSON lines or a list of URLs; nothing is stored',
    scope: 'steer',
    isUpload: true,
    body: z.object({
      name: z.string().min(1).max(200).describe('Name of the file.'),
      text: z.string().describe('Its text.'),
    }),
    answer: z.object({ topics: z.array(z.object({ name: z.string(), examples: z.array(z.string()) })) }),
    run: async ({ body: { name, text } }) => ({
      topics: topicsInText(name, text).map((one) => ({ name: one.name, examples: [...one.examples] })),
    }),
  }),
  operation({
    id: 'lookAtExamples',
    method: 'post',
    path: '/examples',
    summary: 'Fetch pages under the rules of a crawl and report what each says; nothing is stored',
    scope: 'steer',
    isHeavy: true,
    body: z.object({
      urls: z.array(url).min(1).max(12),
      contact: z.string().max(200).default('').describe('How site owners reach the user: a mail address or URL.'),
    }),
    answer: z.object({
      pages: z.array(
        z.object({
          url: z.string(),
          title: z.string(),
          language: z.string(),
          words: z.int(),
          passage: z.string().describe('The beginning of its text.'),
          problem: z.string().optional().describe('Why it cannot be an example.'),
        }),
      ),
    }),
    run: async ({ workspaces, body: { urls, contact } }) => ({
      pages: [...(await workspaces.scout().look(urls, contact))],
    }),
  }),
  operation({
    id: 'askForExamples',
    method: 'post',
    path: '/questions',
    summary: 'Ask a search service for pages about a question; nothing is stored',
    scope: 'steer',
    isHeavy: true,
    body: z.object({
      question: z.string().min(1).max(400),
      service: z
        .string()
        .regex(/^(wikipedia:[a-z][a-z-]{1,11}|openalex|crossref|arxiv)$/)
        .describe('wikipedia:LANGUAGE, openalex, crossref or arxiv.'),
    }),
    answer: z.object({ pages: z.array(z.object({ url: z.string(), title: z.string() })) }),
    run: async ({ workspaces, body: { question, service } }) => ({
      pages: [...(await workspaces.scout().ask(question, service))],
    }),
  }),
  operation({
    id: 'addTopic',
    method: 'post',
    path: '/workspaces/{workspace}/topics',
    summary: 'Add a topic to bingo.yaml',
    scope: 'steer',
    body: z.object({ topic, examples }),
    answer: z.object({ topic: z.string() }),
    run: async ({ served, body }) => ({ topic: await served.workspace.addTopic(body.topic, body) }),
  }),
  operation({
    id: 'removeTopic',
    method: 'delete',
    path: '/workspaces/{workspace}/topics',
    summary: 'Remove a topic and its subtopics from bingo.yaml; stored pages stay',
    scope: 'steer',
    query: { topic },
    answer: ok,
    run: async ({ served, query }) => {
      await served.workspace.removeTopic(query.topic);
      return DONE;
    },
  }),
  operation({
    id: 'addPage',
    method: 'post',
    path: '/workspaces/{workspace}/pages',
    summary: 'Add an example, a seed or a counter-example to a topic in bingo.yaml',
    scope: 'steer',
    body: z.object({ url, topic, list: z.enum(['examples', 'seeds', 'others']) }),
    answer: ok,
    run: async ({ served, body }) => {
      served.workspace.addPages(body.topic, body.list, [body.url]);
      return DONE;
    },
  }),
  operation({
    id: 'settings',
    path: '/workspaces/{workspace}/settings',
    summary: 'List the settings with their values',
    answer: z.object({
      settings: z.array(
        z.object({
          key: z.string(),
          value: z.unknown(),
          default: z.unknown(),
          overridden: z.boolean(),
          help: z.string(),
        }),
      ),
      sections: z.record(z.string(), z.string()).describe('What the settings of a section are about.'),
    }),
    run: async ({ served }) => ({ settings: [...served.workspace.settings()], sections: SECTIONS }),
  }),
  operation({
    id: 'setSetting',
    method: 'put',
    path: '/workspaces/{workspace}/settings',
    summary: 'Write a setting into bingo.yaml, or remove it so that its default holds',
    scope: 'steer',
    body: z.object({ key: z.string().max(100), value: value.nullable() }),
    answer: ok,
    run: async ({ served: { workspace }, body }) => {
      if (body.value === null) workspace.unsetSetting(body.key);
      else workspace.setSetting(body.key, body.value);
      return DONE;
    },
  }),
  operation({
    id: 'curation',
    path: '/workspaces/{workspace}/curation',
    summary: 'Return portal.yaml, or one to fill in',
    answer: z.object({
      text: z.string(),
      isSaved: z.boolean(),
      fields: fields.optional().describe('The same choices, for a form. Missing if the text cannot be read.'),
      themes: z.array(z.string()),
      languages: z.array(z.string()),
      sections: z.array(z.string()),
    }),
    run: async ({ served }) => {
      const workspace = loadForReading(served.workspace.dir, process);
      const known = { themes: [...THEMES], languages: [...PORTAL_LANGUAGES], sections: [...PORTAL_SECTIONS] };
      const { text, isSaved } = curationText(workspace);
      return { text, isSaved, ...known, fields: curationFields(text, workspace) };
    },
  }),
  operation({
    id: 'saveCuration',
    method: 'put',
    path: '/workspaces/{workspace}/curation',
    summary: 'Check portal.yaml, or the fields of a form, and save them',
    scope: 'judge',
    body: z.union([z.object({ text: z.string().max(500_000) }), z.object({ fields })]),
    answer: ok,
    run: async ({ served, body }) => {
      const workspace = loadForReading(served.workspace.dir, process);
      if ('fields' in body) saveCurationFields(workspace, body.fields);
      else saveCuration(workspace, body.text);
      return DONE;
    },
  }),
  operation({
    id: 'writePortal',
    method: 'post',
    path: '/workspaces/{workspace}/portal',
    summary: 'Write the accepted pages as a web site into the folder "site" of the workspace',
    scope: 'judge',
    isHeavy: true,
    body: z.object({}),
    answer: z.object({
      pages: z.int(),
      topics: z.int(),
      missing: z.array(z.string()).describe('Pinned pages that are not stored.'),
      folder: z.string(),
      path: z.string().describe('Where this server shows it.'),
    }),
    run: async ({ served: { name, workspace } }) => {
      const folder = join(workspace.dir, SITE_FOLDER);
      const { pages, topics, missing } = await workspace.portal(folder);
      return { pages, topics, missing: [...missing], folder, path: `/w/${encodeURIComponent(name)}/${SITE_FOLDER}/` };
    },
  }),
];
