import { describe, expect, test } from 'vitest';
import { SiteNames } from '../../../src/postprocess/portal/site-names.ts';

/** Returns the titles as displayed, all of one host. */
function shown(titles: readonly string[], host = 'wiki.example', site = 'example'): string[] {
  const names = new SiteNames();
  for (const title of titles) names.add(title, host, site);
  return titles.map((title) => names.plain(title, host));
}

const PAGES = ['Netctl', 'Iwd', 'A - B', 'Wicd: notes', 'VLAN', 'Dhcpcd', 'Ufw', 'Tor'];

describe('titles of a site', () => {
  test.each([' - Wiki', ' | Wiki', ' – The Wiki: all of it', ' :: Wiki', ' « Wiki'])(
    'lose its name at their end: %s',
    (name) => {
      expect(shown(PAGES.map((page) => page + name))).toEqual(PAGES);
    },
  );

  test.each(['Wiki - ', 'Wiki: ', 'Wiki | '])('lose the site name at their beginning: %s', (name) => {
    expect(shown(PAGES.map((page) => name + page))).toEqual(PAGES);
  });

  test('lose the site name even if one in five lacks it, and nothing else', () => {
    expect(shown([...PAGES.map((page) => `${page} | Wiki`), 'Home', 'Wiki'])).toEqual([...PAGES, 'Home', 'Wiki']);
    expect(shown([...PAGES.map((page) => `${page} | Wiki`), ' | Wiki'])).toEqual([...PAGES, ' | Wiki']);
  });

  test('stay unchanged if many lack the site name, or if there are few', () => {
    const some = [...PAGES.map((page) => `${page} | Wiki`), 'One', 'Two', 'Three', 'Four'];
    expect(shown(some)).toEqual(some);
    expect(shown(['A - Wiki', 'B - Wiki', 'C - Wiki'])).toEqual(['A - Wiki', 'B - Wiki', 'C - Wiki']);
    expect(shown(['A - 1', 'B - 2', 'C - 3', 'D - 4', 'E - 5'])).toHaveLength(5);
    expect(shown(['A - 1', 'B - 2', 'C - 3', 'D - 4', 'E - 5'])[0]).toBe('A - 1');
  });

  test('are grouped by host, or else by site', () => {
    const names = new SiteNames();
    for (const page of PAGES) {
      names.add(`${page} - Unix`, 'unix.qa.example', 'qa.example');
      names.add(`${page} - Bikes`, 'bikes.qa.example', 'qa.example');
      names.add(`${page} - Wiki`, `${page[0]}.wiki.example`, 'wiki.example');
    }
    expect(names.plain('Spokes - Bikes', 'bikes.qa.example')).toBe('Spokes');
    expect(names.plain('Spokes - Unix', 'bikes.qa.example')).toBe('Spokes - Unix');
    expect(names.plain('Iwd - Wiki', 'I.wiki.example')).toBe('Iwd');
    expect(names.plain('Iwd - Wiki', 'elsewhere.example')).toBe('Iwd - Wiki');
  });
});
