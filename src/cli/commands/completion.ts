import { UsageError } from '../../core/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { completionScript, SHELLS } from '../completion.ts';

/** A command that is loaded on demand. */
interface Listed {
  load(): Promise<Command>;
}

/** Returns the command; `listed` returns all commands. */
export function completionOf(listed: () => readonly Listed[]): Command {
  return { ...COMPLETION, run: (args, io) => runCompletion(args, io, listed()) };
}

const COMPLETION: Omit<Command, 'run'> = {
  name: 'completion',
  summary: 'Print a script that completes commands and flags in bash, zsh or fish.',
  positionals: ['SHELL'],
  flags: {},
  examples: [
    ['bingo completion bash >> ~/.bashrc', 'Takes effect in each new bash.'],
    ['bingo completion zsh >> ~/.zshrc', 'The same for zsh.'],
    ['bingo completion fish > ~/.config/fish/completions/bingo.fish', 'The same for fish.'],
  ],
};

async function runCompletion(args: Args, io: Io, listed: readonly Listed[]): Promise<number> {
  const shell = SHELLS.find((name) => name === args.positionals[0]);
  if (shell === undefined)
    throw new UsageError(`Unknown shell: ${args.positionals[0]}.`, `Name one of ${SHELLS.join(', ')}.`);
  const commands = await Promise.all(listed.map((one) => one.load()));
  await io.out(completionScript(shell, commands));
  return EXIT.done;
}
