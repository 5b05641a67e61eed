import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { serveMcp } from '../../server/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { withWorkspaces } from '../serve-workspaces.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Let an agent find, read, judge and crawl, by the Model Context Protocol.',
  positionals: ['[DIR]', '[DIRS]...'],
  takesList: true,
  flags: {},
  examples: [
    ['bingo mcp bikes', 'Answers on stdin and stdout; an agent starts it.'],
    ['bingo mcp bikes trains', 'Two workspaces.'],
  ],
  notes: [
    'Tools: find, find_beyond, search, read_page, why, status, topics, mark, crawl_more. See bingo help agents.',
    'Claude Code starts it after: claude mcp add bikes -- bingo mcp /path/to/bikes',
  ],
  run: runMcp,
};

async function runMcp(args: Args, io: Io): Promise<number> {
  return await withWorkspaces(args, io, async (workspaces, onError) => {
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => void io.out(chunk.toString()).then(() => done(), done),
    });
    const close = await serveMcp({ workspaces, onError }, { input: io.stdin, output });
    await Promise.race([finished(io.stdin, { writable: false }).catch(() => {}), untilInterrupt(io)]);
    await close();
    return EXIT.done;
  });
}
