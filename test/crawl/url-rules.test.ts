import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, canonicalize, hostOf } from '../../src/core/index.ts';
import { readUrlRule, UrlRules } from '../../src/crawl/url-rules.ts';

function against(exclude: readonly string[], url: string): string | undefined {
  return new UrlRules({ exclude }).against(canonicalize(url)!)?.rule;
}

describe('a rule', () => {
  test.each([
    ['a.test', 'http://a.test/x', true, 'a host is all that is on it'],
    ['a.test', 'https://www.a.test:8080/', true, 'and the hosts below it, on all ports'],
    ['a.test', 'http://aa.test/', false, 'but no other whose name ends so'],
    ['a.test', 'http://b.test/a.test', false, 'nor a path of that name'],
    ['*.a.test', 'http://www.a.test/', true, 'a star in front: the hosts below a name'],
    ['*.a.test', 'http://a.test/', false, 'and not the host itself'],
    ['a.test:8080', 'http://a.test:8080/', true, 'a host with a port is meant on that port'],
    ['a.test:8080', 'http://a.test/', false, 'and on no other'],
    ['a.test:443/x', 'http://a.test:443/x', true, 'a port is what it is without a scheme'],
    ['https://a.test:443/x', 'http://a.test/x', true, 'with a scheme its own port is none'],
    ['[::1]', 'http://[::1]:81/', true, 'an IPv6 address is a host'],
    ['shop/', 'http://shop/x', true, 'a host may have one word, if a slash stands behind it'],
    ['de/', 'http://www.a.de/', true, 'so that a whole top-level domain can be meant'],
    ['A.TEST/Shop', 'http://a.test/Shop', true, 'case does not matter in hosts'],
    ['A.TEST/Shop', 'http://a.test/shop', false, 'and does in paths'],
    ['müller.test/Straße', 'http://xn--mller-kva.test/Stra%C3%9Fe', true, 'letters may be written as people do'],
    ['/%7euser', 'http://a.test/~user/', true, 'escapes may be written in any way'],
    ['a.test/shop/', 'http://a.test/shop/1', true, 'a path is its beginning'],
    ['a.test/shop/', 'http://a.test/shop', false, 'to its last character'],
    ['/login', 'https://any.test/login?next=/', true, 'without a host, on every host'],
    ['*/login', 'https://any.test/login', true, 'a star as host is every host'],
    ['/login', 'https://any.test/user/login', false, 'from the beginning of the path'],
    ['/*/login', 'https://any.test/user/login', true, 'unless a star says otherwise'],
    ['/*.pdf$', 'http://a.test/b/c.pdf', true, 'a dollar is the end'],
    ['/*.pdf$', 'http://a.test/c.pdf?page=2', false, 'of path and query'],
    ['/*?', 'http://a.test/c?page=2', true, 'the query is part of the path'],
    ['/*?', 'http://a.test/c', false, 'a question mark alone means any query'],
    ['a.test?id=', 'http://a.test/?id=7', true, 'the front page may have one'],
    ["/*?q=it's", "http://a.test/?q=it's", true, 'whatever is in it'],
    ['a.test/$', 'http://a.test/', true, 'a slash and a dollar are the front page'],
    ['a.test/$', 'http://a.test/x', false, 'alone'],
    ['https://a.test/x', 'http://a.test/x', true, 'the scheme of an address does not matter'],
    ['/*?utm_source=', 'http://a.test/?utm_source=x', false, 'parameters that are dropped are never seen'],
    ['/*.zip$', 'http://a.test/p.zip!/a.html', true, 'an archive is kept out with its members'],
    ['/*.exe$', 'http://a.test/p.zip!/a.exe', true, 'and members by themselves'],
  ])('%s, and %s: %s; %s', (rule, url, isOut) => {
    expect(against([rule], url) !== undefined).toBe(isOut);
  });

  test.each([
    ['', 'The rule is empty'],
    ['  ', 'The rule is empty'],
    ['a b.test', '%20'],
    ['ftp://a.test/', 'Only http and https'],
    ['a.test/#top', 'write "a.test/"'],
    ['//a.test/x', '"a.test/x"'],
    ['*.pdf', 'write "/*.pdf$"'],
    ['.*\\.pdf', 'not regular expressions'],
    ['^/shop', 'not regular expressions'],
    ['a.test/.*', 'not regular expressions'],
    ['login', 'Write "/login"'],
    ['www.*.test', '"*.example.org"'],
    ['*a.test', '"*.example.org"'],
    ['user:pw@a.test/', 'password'],
  ])('rejects %j and says what to write instead', (text, remedy) => {
    const read = readUrlRule(text);
    expect(read.ok).toBe(false);
    expect(read.ok ? '' : read.hint).toContain(remedy);
  });

  test('is rejected if it names no host', () => {
    for (const text of ['...', 'a..b$', 'mailto:x', '?', 'a|b.test'])
      expect(against.bind(undefined, text === '?' ? ['a_?b c'] : [text], 'http://a.test/'), text).toThrow(RangeError);
  });

  test('is stored in its normal form', () => {
    const texts = [
      'https://A.test:443/Straße?q=ü',
      '*.müller.test',
      '*/x',
      '*',
      '.b.test',
      'shop/',
      'c.test?x',
      '[::1]:81/*$',
    ];
    for (const text of texts) {
      const read = readUrlRule(text);
      const rule = read.ok ? read.rule : undefined;
      expect(readUrlRule(rule?.text ?? ''), text).toEqual({ ok: true, rule });
    }
  });
});

describe('rules', () => {
  test('names the first matching rule, whatever its kind', () => {
    const rules = ['/x', 'a.test/y', '*.test/z', 'www.a.test/x', '/z'];
    const named = ['x', 'y', 'z'].map((path) => against(rules, `http://www.a.test/${path}`));
    expect(named).toEqual(['/x', 'a.test/y', '*.test/z']);
    expect(against(rules.toReversed(), 'http://www.a.test/z')).toBe('/z');
  });

  test('reject what no allow rule matches; block rules take precedence', () => {
    const rules = new UrlRules({ exclude: ['/private'], include: ['a.test', '/*.zip$'] });
    const kept = (url: string) => rules.against(url as CanonicalUrl);
    expect(kept('http://a.test/x')).toBeUndefined();
    expect(kept('http://b.test/x')).toEqual({ setting: 'crawl.include', rule: undefined });
    expect(kept('http://a.test/private')).toMatchObject({ setting: 'crawl.exclude', rule: '/private' });
    expect(kept('http://b.test/p.zip!/a.html'), 'a member of an archive that is let in').toBeUndefined();
  });

  test('agree with a plain matcher over all rules', () => {
    const label = fc.constantFrom('a', 'b', 'test');
    const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '?', '.'), maxLength: 6 }).map((text) => `/${text}`);
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '?', '*', '$'), maxLength: 6 });
    const rule = fc
      .tuple(fc.constantFrom('', '*.'), fc.oneof(host, fc.constant('')), pattern)
      .map(([below, name, rest]) => `${name === '' ? '' : below}${name}/${rest}`)
      .filter((text) => readUrlRule(text).ok);
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), host, path, (rules, name, rest) => {
        const url = canonicalize(`http://${name}${rest}`)!;
        expect(against(rules, url)).toBe(rules.map(kept).find((text) => naively(text, url)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('matches a pattern full of stars quickly on the worst URL', () => {
    const rule = `/${'*a'.repeat(5_000)}*b$`;
    expect(against([rule], `http://a.test/${'a'.repeat(20_000)}`)).toBeUndefined();
  });

  test('ten thousand hosts are as fast as a few', () => {
    const rules = new UrlRules({ exclude: Array.from({ length: 10_000 }, (_, i) => `h${i}.test`) });
    for (let i = 0; i < 100_000; i++) rules.against(`http://www.h${i}.test/` as CanonicalUrl);
    expect(rules.against('http://www.h9999.test/' as CanonicalUrl)?.rule).toBe('h9999.test');
  });
});

function kept(text: string): string {
  const read = readUrlRule(text);
  return read.ok ? read.rule.text : '';
}

/** Decides by regular expressions made from the rule. */
function naively(rule: string, url: CanonicalUrl): boolean {
  const [, below, name = '', pattern = ''] = /^(\*\.)?([^/]*)(.*)$/.exec(rule)!;
  const host = hostOf(url);
  const isHost = name === '' || (below === undefined && host === name) || host.endsWith(`.${name}`);
  const quoted = pattern.replace(/\$$/, '\0').replace(/[.?$/]/g, '\\$&');
  const regex = new RegExp(`^${quoted.replaceAll('*', '.*').replace('\0', '$')}`, 's');
  return isHost && regex.test(url.slice(`http://${host}`.length));
}
