import { isForSpread, type SteerCommand, UsageError } from '../../core/index.ts';
import { requestSteer } from '../../store/index.ts';
import { requireRunning } from '../reading/follow-store.ts';
import { placeOf } from '../reading/reading.ts';
import { quoted } from '../words/shell-words.ts';
import { readSpread } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Sends a command to the crawl that other processes run. It reads the command within a second.
 * @param sending `dir`: the workspace as the user named it
 * @throws UsageError if no crawl runs, or if a spread crawl cannot obey the command
 */
export async function steerElsewhere(
  workspace: Workspace,
  command: SteerCommand,
  { dir, isRunning }: { readonly dir: string; readonly isRunning: boolean },
): Promise<void> {
  requireRunning(isRunning, quoted(dir), command);
  if (readSpread(workspace.dir) !== undefined && !isForSpread(command)) throw notSpread(command, quoted(dir));
  await requestSteer(placeOf(workspace), command);
}

function notSpread(command: SteerCommand, dir: string): UsageError {
  if (command.kind === 'set-limit' && command.limit === 'time')
    return new UsageError(
      'A spread crawl has no time limit: each of its processes has its own.',
      `Start a process with a limit: bingo work ${dir} --set crawl.timeMs=90m`,
    );
  const isLearning =
    command.kind === 'begin-learning' || command.kind === 'end-learning' || command.kind === 'set-limit';
  return new UsageError(
    `A spread crawl ${isLearning ? 'has no learning phase' : 'asks no questions'}.`,
    `End its processes, then: bingo gather ${dir}`,
  );
}
