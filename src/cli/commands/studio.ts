import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { safeJson } from '../../kit/index.ts';
import { startServer } from '../../server/index.ts';
import {
  createWorkspace,
  isWorkspace,
  type OpenWorkspace,
  openScout,
  readSettings,
  workspaceAround,
} from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { withWorkspaces } from '../serve-workspaces.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const studio: Command = {
  name: 'studio',
  summary: 'Open the workbench in a browser: start, watch, steer, review, search, publish.',
  positionals: ['[FOLDERS]...'],
  takesList: true,
  flags: {
    port: { value: 'PORT', help: 'Port to listen on. Default: any free port.' },
    'no-open': { help: 'Only print the address.' },
    json: { help: 'Print the address and errors as JSON.' },
  },
  examples: [
    ['bingo studio', 'All workspaces in this folder; new ones are made here.'],
    ['bingo studio bikes', 'One workspace.'],
  ],
  notes: [
    'The studio is served on this machine only, by the server of bingo serve. Crawls that it starts end with it, saved; ' +
      'Ctrl-C ends. To share it, use bingo serve --host: the studio is at /studio there, too.',
  ],
  run: runStudio,
};

async function runStudio(args: Args, io: Io): Promise<number> {
  const port = readPort('--port', args.value('port'));
  const named = args.positionals.length > 0 ? args.positionals : workspacesHere();
  const made: OpenWorkspace[] = [];
  const make = async (name: string, options: Parameters<typeof createWorkspace>[1]): Promise<OpenWorkspace> => {
    const workspace = await createWorkspace(resolve(name), { ...options, env: io.env });
    made.push(workspace);
    return workspace;
  };
  const served = { positionals: named, has: (flag: string) => args.has(flag) };
  return await withWorkspaces(served, io, async (workspaces, onError) => {
    const scout = openScout(readSettings({ env: io.env }));
    const server = await startServer({ workspaces, port, make, scout, onError });
    const url = `${server.url}studio`;
    if (args.has('json')) await io.out(`${safeJson({ url })}\n`);
    else io.err(`Studio at ${url}   Ctrl-C ends.\n`);
    if (io.stderrIsTerminal && !args.has('no-open') && !args.has('json'))
      io.err(`${await openInBrowser(url, io.env)}\n`);
    await untilInterrupt(io);
    await server.close();
    await Promise.all(made.map((workspace) => workspace.close()));
    return EXIT.done;
  });
}

/** Returns the workspace around the current folder, or else those in it. */
function workspacesHere(): readonly string[] {
  const around = workspaceAround(process.cwd());
  if (around !== undefined) return [around];
  const folders = readdirSync('.', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .filter((name) => isWorkspace(name))
    .sort();
}
