import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'bingo-half-made-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DOOR = new URL('../../../src/postprocess/index.ts', import.meta.url).href;

/** Returns a process that makes a folder and exits while it fills it, or afterwards. */
function making(name: string, end: string): readonly string[] {
  const script = `
    const { writeFolder } = await import('${DOOR}');
    const { writeFileSync } = await import('node:fs');
    await writeFolder(${JSON.stringify(join(folder, name))}, { kind: 'corpus' }, async (place) => {
      writeFileSync(place + '/page.txt', 'text');
      ${end}
    });`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return [`${status}`, stderr];
}

test('a process that exits while it writes a folder leaves nothing behind', () => {
  expect(making('cut', 'process.exit(130);')).toEqual(['130', '']);
  expect(making('whole', '')).toEqual(['0', '']);
  expect(readdirSync(folder)).toEqual(['whole']);
});
