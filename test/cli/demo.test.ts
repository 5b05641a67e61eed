import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planDemo } from '../../src/cli/demo/demo-plan.ts';
import type { PackageWeb } from '../../src/lab/index.ts';
import { openStore } from '../../src/store/index.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import { BINGO } from './support/bingo-process.ts';
import { run } from './support/captured-io.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-demo-test-'));
});
afterAll(() => rmSync(root, { recursive: true }));

interface Figures {
  readonly pages: number;
  readonly accepted: number;
  readonly onTopic: number;
}

describe('bingo demo', () => {
  it('finds more pages of its topic than breadth-first, and keeps the workspace if asked', async () => {
    const dir = join(root, 'kept');
    const { code, out } = await run(['demo', '--json', '--keep', dir]);
    expect(code).toBe(0);
    const { focused, breadthFirst, best } = JSON.parse(out) as {
      focused: Figures;
      breadthFirst: Figures;
      best: { onTopic: boolean }[];
    };
    expect(focused.pages).toBe(breadthFirst.pages);
    // Both crawls find pages on the topic. A classifier that accepts none of them would hide this.
    expect(breadthFirst.accepted).toBeGreaterThan(0);
    expect(focused.accepted).toBeGreaterThan(breadthFirst.accepted);
    expect(focused.onTopic).toBeGreaterThan(breadthFirst.onTopic);
    expect(best).toHaveLength(10);
    expect(best.filter((page) => page.onTopic).length).toBeGreaterThanOrEqual(7);
    expect(loadWorkspace(dir).config.network.allowPrivate).toBe(true);
    expect(loadWorkspace(dir).known?.topics.size).toBe(1);
    expect(loadWorkspace(dir).notes).toEqual([]);
    expect((await run(['search', dir, 'cursor terminal', '--json'])).out).toContain('npm.test');
    const store = await openStore({ ...loadWorkspace(dir).config.store, workspace: dir, readOnly: true });
    const told = await store.published();
    const { topics } = await store.status();
    await store.close();
    expect(told?.status.queues.map(({ accepted }) => accepted)).toEqual(
      topics.slice(-1).map(({ accepted }) => accepted),
    );
  });

  it('begins without internal details, and every command it suggests works', async () => {
    const dir = join(root, 'tried');
    const { code, out, err } = await run(['demo', '--keep', dir]);
    expect(code).toBe(0);
    expect(err).not.toMatch(/undone|rolled back|found 0 archetypes/);
    const lines = out
      .slice(out.indexOf('What to try next:'))
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    const commands = lines.filter((line) => line.startsWith('bingo ') && !line.includes(' NAME '));
    expect(commands.map((line) => line.split(' ')[1])).toEqual(['search', 'status', 'why', 'sql', 'dashboard']);
    for (const line of commands) {
      const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
      const tried = await run(words.slice(1));
      expect([line, tried.code]).toEqual([line, 0]);
      expect(tried.out + tried.err).not.toMatch(/Nothing matches|No stored page/);
    }
  });

  it('does not overwrite a workspace', async () => {
    writeFileSync(join(root, 'bingo.yaml'), 'mine');
    expect(await run(['demo', '--keep', root])).toMatchObject({
      code: 2,
      err: expect.stringContaining('already exists'),
    });
  });

  it('removes a partial workspace if the file size limit is reached, and says so', () => {
    const dir = join(root, 'limited');
    const words = `ulimit -f 1; exec "${process.execPath}" "${BINGO}" demo --keep "${dir}"`;
    const { status, stderr } = spawnSync('bash', ['-c', words], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('EFBIG');
    expect(stderr).toContain('The file may not grow so large');
    expect(existsSync(dir)).toBe(false);
  });
});

describe('planDemo', () => {
  const found = (
    name: string,
    keywords: readonly string[],
    files = ['/readme.html'],
  ): PackageWeb['packages'][number] => ({
    name,
    version: '1.0.0',
    description: '',
    keywords,
    dependencies: [],
    repository: '',
    homepage: '',
    files: new Map(files.map((path) => [path, { file: path, kind: 'markdown' }])),
  });
  const plan = (packages: PackageWeb['packages']) => {
    const web = { packages, url: () => '', page: () => undefined };
    return planDemo(web, (name, path) => `http://${name}.npm.test${path}`);
  };
  const off = Array.from({ length: 40 }, (_, i) => found(`off${i}`, ['a', 'b', 'c']));

  it('picks favourites first, then other packages that mention the topic', () => {
    const urls = (packages: PackageWeb['packages']) =>
      plan(packages)?.topic.examples?.map((example) => example.kind === 'url' && example.url);
    const on = [found('aaa', ['tty']), found('chalk', ['terminal']), found('ink', ['cli'])];
    expect(urls([...on, ...off])).toEqual(['http://ink.npm.test/readme.html', 'http://chalk.npm.test/readme.html']);
    expect(urls([found('x', ['tty']), found('y', ['console']), ...off])).toEqual([
      'http://x.npm.test/readme.html',
      'http://y.npm.test/readme.html',
    ]);
  });

  it('spreads OTHERS over packages that do not mention the topic', () => {
    const others = plan([found('ink', ['cli']), found('chalk', ['tty']), ...off])?.others ?? [];
    expect(others).toHaveLength(24);
    expect(JSON.stringify(others)).not.toMatch(/ink|chalk/);
  });

  it('stops if too few packages are installed', () => {
    expect(plan([found('ink', ['cli']), ...off])).toBeUndefined();
    expect(plan([found('ink', ['cli']), found('chalk', ['cli']), ...off.slice(0, 3)])).toBeUndefined();
  });
});
