import { UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  addPages,
  addTopicAt,
  BACKUP_FILE,
  editPages,
  loadForReading,
  moveTopic,
  quoted,
  removePage,
  removeTopic,
  renameTopic,
  sanitizeForTerminal,
  switchTopic,
  topicMeant,
  type Workspace,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';

const JSON_FLAG = { json: { help: 'One JSON object on stdout.' } };
const NOTES = [
  `Changes bingo.yaml, keeps its comments, and records the change of a topic. The previous file is kept as ${BACKUP_FILE}. The next bingo crawl judges stored pages again.`,
];

export const topicAdd: Command = {
  name: 'topic add',
  summary: 'Add a topic to bingo.yaml.',
  positionals: ['[DIR]', 'TOPIC'],
  flags: { example: { value: 'URL', greedy: true, help: 'Two or three pages to learn it from.' }, ...JSON_FLAG },
  examples: [
    ['bingo topic add bikes racing --example https://www.uci.org/', 'Adds a topic at the top level.'],
    ['bingo topic add bikes cycling/touring --example URL URL', 'Adds a topic below "cycling".'],
  ],
  notes: NOTES,
  run: async (args, io) => {
    const workspace = workspaceOf(args, io);
    const examples = args.values('example');
    if (examples.length === 0)
      throw new UsageError('A topic needs pages to learn it from.', 'Name two or three: --example URL URL');
    const topic = await addTopicAt(workspace, args.positionals[1] ?? '', examples);
    return await done(args, io, { done: 'Added', topic });
  },
};

export const topicRename: Command = {
  name: 'topic rename',
  summary: 'Give a topic another name in bingo.yaml.',
  positionals: ['[DIR]', 'TOPIC', 'NAME'],
  flags: JSON_FLAG,
  examples: [['bingo topic rename bikes cycling/touring travel', 'The topic becomes cycling/travel.']],
  notes: [...NOTES, 'If bingo.yaml has the new name already, records only the rename. NAME may then be a path.'],
  run: async (args, io) => {
    const [, topic = '', name = ''] = args.positionals;
    return await done(args, io, { done: 'Renamed', ...(await renameTopic(workspaceOf(args, io), topic, name)) });
  },
};

export const topicMove: Command = {
  name: 'topic move',
  summary: 'Move a topic and its subtopics under another topic in bingo.yaml.',
  positionals: ['[DIR]', 'TOPIC', 'PARENT'],
  flags: JSON_FLAG,
  examples: [
    ['bingo topic move bikes touring cycling', 'The topic becomes cycling/touring.'],
    ['bingo topic move bikes cycling/touring /', 'To the top.'],
  ],
  notes: NOTES,
  run: async (args, io) => {
    const [, topic = '', parent = ''] = args.positionals;
    return await done(args, io, { done: 'Moved', ...(await moveTopic(workspaceOf(args, io), topic, parent)) });
  },
};

export const topicSet: Command = {
  name: 'topic set',
  summary: 'Say whether links of a topic are followed, and whether its pages are shown.',
  positionals: ['[DIR]', 'TOPIC', 'KEY', 'VALUE'],
  flags: JSON_FLAG,
  examples: [
    ['bingo topic set bikes links shown false', 'Good for crawling: search, portal and exports leave its pages out.'],
    ['bingo topic set bikes photos follow false', 'Good for display: its links are not followed.'],
    ['bingo topic set bikes photos follow true', 'The default again.'],
  ],
  notes: [
    `KEY is follow or shown, VALUE true or false. Changes bingo.yaml; the previous file is kept as ${BACKUP_FILE}. ` +
      'shown takes effect at once, follow in the next crawl, for pages that it fetches.',
  ],
  run: async (args, io) => {
    const [, topic = '', key = '', value = ''] = args.positionals;
    const set = switchTopic(workspaceOf(args, io), topic, key, value);
    if (args.has('json')) await io.out(`${safeJson(set)}\n`);
    const dir = quoted(args.positionals[0] ?? '');
    const next = set.key === 'follow' ? `bingo crawl ${dir}` : `bingo search ${dir} WORDS`;
    const what = `${set.key} of "${sanitizeForTerminal(set.topic)}" is ${set.value}`;
    io.err(set.isNew ? `${what} now. Next: ${next}\n` : `${what} already. Nothing was changed.\n`);
    return EXIT.done;
  },
};

export const topicRemove: Command = {
  name: 'topic remove',
  summary: 'Remove a topic and its subtopics from bingo.yaml; stored pages stay.',
  positionals: ['[DIR]', 'TOPIC'],
  flags: JSON_FLAG,
  examples: [['bingo topic remove bikes cycling/touring', 'The remaining topics judge its pages.']],
  notes: NOTES,
  run: async (args, io) => {
    const topic = await removeTopic(workspaceOf(args, io), args.positionals[1] ?? '');
    return await done(args, io, { done: 'Removed', topic });
  },
};

export const add: Command = {
  name: 'add',
  summary: 'Add a page to the examples of a topic in bingo.yaml.',
  positionals: ['[DIR]', 'URL'],
  flags: {
    topic: { value: 'TOPIC', help: 'The topic. Default: the only one.' },
    ...JSON_FLAG,
  },
  examples: [['bingo add bikes https://www.sheldonbrown.com/ --topic cycling', 'Adds a page to learn from.']],
  notes: [...NOTES, 'To mark a stored page without editing the file, use "bingo mark --good URL".'],
  run: async (args, io) => {
    const workspace = workspaceOf(args, io);
    const topic = topicMeant(workspace.tree, args.value('topic'));
    const [page] = editPages(workspace, addPages, { topic, list: 'examples', urls: [args.positionals[1] ?? ''] });
    return await done(args, io, { done: 'Added an example to', topic, page });
  },
};

const LIST_NAMES = { examples: 'example', seeds: 'seed', others: 'counter-example' } as const;

export const remove: Command = {
  name: 'remove',
  summary: 'Remove an example, a seed or a counter-example from bingo.yaml.',
  positionals: ['[DIR]', 'URL|FILE'],
  flags: {
    topic: { value: 'TOPIC', help: 'Its topic, if several list it; OTHERS names counter-examples.' },
    ...JSON_FLAG,
  },
  examples: [
    ['bingo remove bikes https://www.sheldonbrown.com/', 'The next crawl no longer learns from it.'],
    ['bingo remove bikes texts/tour.pdf', 'A local document, by its path in bingo.yaml.'],
  ],
  notes: [...NOTES, 'To reject a page that was crawled, use "bingo mark --bad URL".'],
  run: async (args, io) => {
    const workspace = workspaceOf(args, io);
    const { lists, ...removed } = removePage(workspace, args.positionals[1] ?? '', args.value('topic'));
    const what = lists.map((list) => LIST_NAMES[list]).join(' and ');
    return await done(args, io, { done: `Removed ${removed.page}, ${what} of`, ...removed, lists });
  },
};

function workspaceOf(args: Args, io: Io): Workspace {
  return loadForReading(args.positionals[0] ?? '', io);
}

interface Outcome {
  readonly done: string;
  readonly topic: string;
  readonly now?: string;
  readonly page?: string | undefined;
  readonly lists?: readonly string[];
}

async function done(args: Args, io: Io, { done: what, ...facts }: Outcome): Promise<number> {
  if (args.has('json')) await io.out(`${safeJson(facts)}\n`);
  const now = facts.now === undefined ? '' : ` to "${facts.now}"`;
  io.err(`${what} "${facts.topic}"${now}. Next: bingo crawl ${quoted(args.positionals[0] ?? '')}\n`);
  return EXIT.done;
}
