import { describe, expect, it } from 'vitest';
import type { CanonicalUrl } from '../../src/core/index.ts';
import { embeddedIn, embeddedInCss } from '../../src/workbench/export/embedded.ts';

const PAGE = 'https://example.org/a/b' as CanonicalUrl;

describe('what a page loads', () => {
  it('is pictures, styles, scripts and frames, not links', () => {
    const html = `<link rel="stylesheet" href="s.css"><link rel=canonical href=/c><a href="/link">x</a>
      <img src='i.png?a=1&amp;b=2' srcset="j.png 1x, k.png 2x"><script src=x.js></script><iframe src="/f"></iframe>
      <style>@import "t.css"; b { background: url( 'u.png' ) }</style><div style="background:url(data:image/png;base64,x)">`;
    expect([...embeddedIn(html, PAGE)].sort()).toEqual(
      ['/a/i.png?a=1&b=2', '/a/j.png', '/a/k.png', '/a/s.css', '/a/t.css', '/a/u.png', '/a/x.js', '/f'].map(
        (path) => `https://example.org${path}`,
      ),
    );
  });

  it('follows the base address', () => {
    expect(embeddedIn('<base href="https://cdn.example.com/x/"><img src=p.png>', PAGE)).toEqual([
      'https://cdn.example.com/x/p.png',
    ]);
  });

  it('is found in style sheets', () => {
    expect(embeddedInCss('@import url(one.css); p { background: url("../two.png") }', PAGE)).toEqual([
      'https://example.org/a/one.css',
      'https://example.org/two.png',
    ]);
  });

  it('is found in linear time, whatever the page', () => {
    const hostile = '<img '.repeat(40_000) + 'url('.repeat(40_000) + ' src='.repeat(40_000);
    const before = process.cpuUsage().user;
    embeddedIn(hostile, PAGE);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2);
  });
});
