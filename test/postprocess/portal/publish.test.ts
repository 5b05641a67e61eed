import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

const ROOT = join(import.meta.dirname, '../../..');
const asset = (name: string): string => readFileSync(join(ROOT, 'assets/publish', name), 'utf8');
const CONTEXT = `${ROOT}/bin/bingo.js`;
let web: BikeWeb;
let place: string;

beforeAll(async () => {
  web = await startBikeWeb();
  place = mkdtempSync(join(tmpdir(), 'bingo-publish-'));
  mkdirSync(join(place, 'workspace'));
  writeFileSync(join(place, 'workspace/bingo.yaml'), bikeWorkspace(web));
  writeFileSync(join(place, 'bingo'), `#!/bin/sh\nexec "${process.execPath}" "${CONTEXT}" "$@"\n`);
  chmodSync(join(place, 'bingo'), 0o755);
});

afterAll(async () => {
  await web.close();
  rmSync(place, { recursive: true, force: true });
});

/** Runs a line of a shell in the folder of the workspace, with bingo on the path. */
async function run(line: string, env: Readonly<Record<string, string>>): Promise<{ code: number; text: string }> {
  const child = spawn('sh', ['-ec', line], { cwd: place, env: { PATH: `${place}:${process.env.PATH}`, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (text += piece.toString()));
  return await new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, text })));
}

test('the commands of the GitHub Action crawl, recheck and write a portal', async () => {
  const action = parse(asset('github-portal.yml')) as {
    jobs: {
      portal: { env: Record<string, string>; steps: { name?: string; run?: string; with?: { path?: string } }[] };
    };
  };
  const { env, steps } = action.jobs.portal;
  const lines = steps.flatMap(({ name, run: line }) => (line === undefined || name === 'Install' ? [] : [line]));
  expect(lines).toHaveLength(3);
  // The first night crawls, the second one rechecks.
  for (let night = 1; night <= 2; night++)
    for (const line of lines) expect(await run(line, env)).toEqual({ code: 0, text: expect.anything() });
  const published = steps.find(({ with: given }) => given?.path === 'site');
  expect(published).toBeDefined();
  expect(readFileSync(join(place, 'site/index.html'), 'utf8')).toContain('cycling');
});

test('the commands of the systemd unit write a portal; unchanged files keep their dates', async () => {
  const unit = asset('bingo-portal.service').replaceAll('/var/lib/bingo', place);
  const lines = [...unit.matchAll(/^ExecStart=(.*)$/gm)].map(([, line = '']) => line);
  const [, value = ''] = /^Environment=BINGO_WORKSPACE=(.*)$/m.exec(unit) ?? [];
  expect([value, lines.length]).toEqual([join(place, 'workspace'), 3]);
  const style = join(place, 'site/style.css');
  const before = existsSync(style) ? statSync(style).mtimeMs : undefined;
  for (const line of lines)
    expect(await run(line, { BINGO_WORKSPACE: value })).toEqual({ code: 0, text: expect.anything() });
  expect(statSync(style).mtimeMs).toBe(before);
  const again = await run(lines[2] ?? '', { BINGO_WORKSPACE: value });
  expect(again.text).toMatch(/\n0 of \d+ files changed\.\n/);
});

/** What the container does, without one: another user, and a root that cannot be written. */
const READ_ONLY = `mount --bind "$PLACE" /mnt
mount --bind / /
mount -o remount,bind,ro /
cd /mnt
! touch /usr/read-only 2>/dev/null
exec setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/nonexistent TMPDIR=/mnt/tmp ./bingo portal workspace other-site`;

test.skipIf(!canUnshare())(
  'a portal is written by an ordinary user on a read-only root, as in the container',
  async () => {
    mkdirSync(join(place, 'tmp'), { recursive: true });
    execFileSync('chown', ['-R', '1000:1000', place]);
    const line = `exec unshare --mount sh -ec '${READ_ONLY}'`;
    expect(await run(line, { PLACE: place })).toEqual({ code: 0, text: expect.stringContaining('pages in') });
    expect(statSync(join(place, 'other-site/index.html')).uid).toBe(1000);
  },
);

/** True if this user may make file systems of its own. */
function canUnshare(): boolean {
  return (
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['--mount', 'sh', '-c', 'mount --bind / / && setpriv --version']).status === 0
  );
}

const SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!SYSTEMD)('systemd accepts the unit and the timer', () => {
  for (const name of ['bingo-portal.service', 'bingo-portal.timer'])
    writeFileSync(join(place, name), asset(name).replaceAll('ExecStart=bingo', `ExecStart=${process.execPath}`));
  const units = ['bingo-portal.service', 'bingo-portal.timer'].map((name) => join(place, name));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('the image runs as an ordinary user, and the timer names the unit', () => {
  expect(asset('Containerfile')).toMatch(/^USER node$/m);
  expect(asset('bingo-portal.timer')).toMatch(/^Persistent=true$/m);
});
