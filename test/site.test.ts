import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const site = mkdtempSync(join(tmpdir(), 'bingo-site-'));

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-site.ts', site], { cwd: ROOT });
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

describe('the documentation site', () => {
  it('has a page for each document in docs/', () => {
    const documents = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const missing = documents.filter((name) => !existsSync(join(site, name.replace(/\.md$/, '.html'))));
    expect(missing).toEqual([]);
  });

  it('links only to existing pages, headings and pictures', () => {
    const dead = readdirSync(site)
      .filter((name) => name.endsWith('.html'))
      .flatMap((name) => deadLinks(name));
    expect(dead).toEqual([]);
  });

  it('finds a section of a page by its words', () => {
    const sections = readFileSync(join(site, 'sections.js'), 'utf8');
    expect(sections).toContain('"url":"concepts.html#how-a-link-is-chosen"');
  });
});

function deadLinks(name: string): readonly string[] {
  const html = readFileSync(join(site, name), 'utf8');
  return [...html.matchAll(/(?:href|src)="(?![a-z]+:)([^"#]*)(?:#([^"]*))?"/g)].flatMap(([, path = '', anchor]) => {
    const target = join(site, path === '' ? name : path);
    if (!existsSync(target)) return [`${name}: ${path}`];
    const hasAnchor = anchor === undefined || readFileSync(target, 'utf8').includes(`id="${anchor}"`);
    return hasAnchor ? [] : [`${name}: ${path}#${anchor}`];
  });
}
