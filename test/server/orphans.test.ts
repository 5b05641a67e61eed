import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspace } from '../cli/support/made-workspace.ts';
import { page } from '../contracts/store-records.ts';

const BINGO = join(import.meta.dirname, '../../bin/bingo.js');
const YAML = 'topics:\n  - name: databases\n    examples: [https://a.example/]\nothers: [https://o.example/]\n';
const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';

function childrenOf(pid: number): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === pid ? [own] : []));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.platform === 'win32')(
  'an endless query ends with the server, also if the server is killed',
  async () => {
    const { dir } = await makeWorkspace(YAML, [(n) => page(n, 'https://a.example/', { stems: { databas: 3 } })]);
    const server = spawn(process.execPath, [BINGO, 'serve', dir, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const line = await new Promise<string>((resolve) => server.stdout.once('data', (data) => resolve(String(data))));
    const { url } = JSON.parse(line) as { url: string };
    const { workspaces } = (await (await fetch(`${url}api/v1/workspaces`)).json()) as {
      workspaces: [{ name: string }];
    };
    const before = childrenOf(server.pid!);
    void fetch(`${url}api/v1/workspaces/${workspaces[0].name}/sql`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ query: ENDLESS, seconds: 60 }),
    }).catch(() => {});
    const querying = (): number | undefined => childrenOf(server.pid!).find((pid) => !before.includes(pid));
    await expect.poll(querying).toBeDefined();
    const child = querying()!;
    // It has begun when it uses the processor.
    await expect
      .poll(() => execFileSync('ps', ['-o', 'time=', '-p', String(child)], { encoding: 'utf8' }).trim())
      .not.toBe('00:00:00');
    server.kill('SIGKILL');
    await expect.poll(() => isAlive(child)).toBe(false);
  },
);
