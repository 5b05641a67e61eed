import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds so far of processes and of the processes that they started. */
export function cpuOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      const below = children === '' ? 0 : cpuOf(children.split(' ').map(Number)) * TICKS_PER_SECOND;
      return Number(user) + Number(system) + below;
    } catch {
      // It has ended.
      return 0;
    }
  });
  return ticks.reduce((sum, some) => sum + some, 0) / TICKS_PER_SECOND;
}

/** Returns the numbers of all database servers of this machine. */
export function databaseServers(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const command = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/comm`, 'utf8').trim() : '';
      return ['mariadbd', 'mysqld'].includes(command) ? [Number(name)] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}
