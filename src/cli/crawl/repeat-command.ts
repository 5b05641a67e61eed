import { hidePassword } from '../../core/index.ts';
import { quoted, splitAssignment } from '../../workbench/index.ts';
import type { Args } from '../command.ts';

/** Returns the same command line for repeating: keeps folders, limits and settings, but no passwords. */
export function sameAgain(args: Args): string {
  const flags = [
    'budget',
    'time',
    'learn',
    'only',
    'ordering',
    'proxy',
    'contact',
    'source',
    'warc',
    'wacz',
    'cdxj',
    'set',
  ].flatMap((flag) => args.values(flag).map((value) => ` --${flag} ${quoted(withoutPassword(flag, value))}`));
  const words = ['recheck', 'recheck-all', 'fast', 'sitemaps', 'feeds']
    .map((flag) => (args.has(flag) ? ` --${flag}` : ''))
    .join('');
  return `bingo crawl ${quoted(args.positionals[0]!)}${flags.join('')}${words}`;
}

/** Returns a flag's value without passwords: logs keep what is printed here. */
function withoutPassword(flag: string, value: string): string {
  if (flag !== 'set') return flag === 'proxy' ? hidePassword(value) : value;
  const [key, setting] = splitAssignment(value);
  return key === 'network.proxy' || key === 'store.url' ? `${key}=${hidePassword(setting)}` : value;
}
