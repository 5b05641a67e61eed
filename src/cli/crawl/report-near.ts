import { counted } from '../../kit/index.ts';
import {
  addNeighbours,
  type NearTopic,
  nearSubjects,
  quoted,
  sanitizeForTerminal,
  type Workspace,
} from '../../workbench/index.ts';
import type { Io } from '../command.ts';

/**
 * Reports where the examples of each topic fit among the built-in subjects, and adds pages of near subjects to the
 * counter-examples.
 */
export async function reportNear(workspace: Workspace, io: Io): Promise<readonly NearTopic[]> {
  const near = await nearSubjects(workspace);
  for (const topic of near) for (const line of linesOf(topic)) io.err(`${line}\n`);
  const added = addNeighbours(workspace, near);
  if (added > 0)
    io.err(
      `Added ${counted(added, 'page')} of these neighbours to the counter-examples. To take one out: bingo remove ${quoted(workspace.dir)} URL\n`,
    );
  return near;
}

function linesOf({ topic, read, unread, subject, places, neighbours }: NearTopic): string[] {
  const name = `"${sanitizeForTerminal(topic)}"`;
  const failed = unread.map(
    ({ example, why }) => `Cannot read ${sanitizeForTerminal(example)}: ${sanitizeForTerminal(why)}`,
  );
  if (read === 0) return [...failed, `${name}: no example could be read, so no neighbours are proposed.`];
  if (subject === null) return [...failed, `${name}: no built-in subject fits clearly, so no neighbours are proposed.`];
  const words = places[0]?.words.slice(0, 6).join(', ') ?? '';
  const beside = neighbours.map((one) => one.subject).join('; ');
  return [
    ...failed,
    `${name} is nearest to the subject ${subject} (${words}).`,
    ...(beside === '' ? [] : [`Neighbours to tell it apart from: ${beside}`]),
  ];
}
