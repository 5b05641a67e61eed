import { describe, expect, it } from 'vitest';
import { canonicalInHeader } from '../../src/analyze/link-header.ts';
import { documentOf } from './pages.ts';

describe('a Link header', () => {
  it.each([
    ['<http://a.test/x>; rel="canonical"', 'http://a.test/x'],
    ['<../x?a=1,2;b>;rel=canonical', '../x?a=1,2;b'],
    ["</x> ; REL = 'Canonical'", '/x'],
    ['</s.css>; rel=preload; as=style, </x>; rel="canonical", </y>; rel="canonical"', '/x'],
    ['</feed>; rel="alternate"; title="a, <b>; rel=canonical \\" c", </x>; rel="shortlink canonical"', '/x'],
    ['</x>; title*=UTF-8\'\'%e2%82%ac%20rates; type="text/html"; rel="canonical"', '/x'],
    ['</w>; rel=next; rel=canonical, </x>; rel=canonical; rel=next', '/x'],
    ['</w>; anchor="/other"; rel="canonical", </x>; ; crossorigin; rel="canonical"', '/x'],
    ['</w> rel=canonical, junk </x>; rel="canonical', '/x'],
  ])('names the original of its page: %s', (header, target) => {
    expect(canonicalInHeader(header)).toBe(target);
  });

  it.each([
    '',
    'canonical',
    '<',
    '</x>; rel=next',
    '</x>; rel="not-canonical"',
    '</x>; title="; rel=canonical"',
    '</x>; anchor="#part"; rel=canonical',
  ])('names none: %s', (header) => {
    expect(canonicalInHeader(header)).toBe('');
  });

  it('is parsed in linear time, whatever it holds', () => {
    for (const part of ['<', '<>', '<>;', '<>; ', '<>;a="', '<>;a=\\', '<>;a ', '; ', '<>;a=" ', '<a>;rel="b", ', ' '])
      for (const start of ['', '<>', '<>;a='])
        expect(canonicalInHeader(start + part.repeat(20_000)), start + part).toBe('');
  });
});

describe('the canonical URL of a page', () => {
  const headers = { link: '<../x>; rel="canonical"' };

  it('may be named by its server, relative to the page whatever its base', () => {
    expect(documentOf('<base href="/b/"><p>Text.', { headers }).canonical).toBe('http://a.test/x');
    expect(documentOf('Text.', { headers: { ...headers, contentType: 'text/plain' } }).canonical).toBe(
      'http://a.test/x',
    );
  });

  it('is taken from the page if both page and server name one', () => {
    expect(documentOf('<link rel=canonical href=/c>', { headers }).canonical).toBe('http://a.test/c');
    expect(documentOf('<link rel=canonical href="mailto:x">', { headers }).canonical).toBe('http://a.test/x');
  });
});
