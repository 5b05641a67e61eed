import { hidePassword, UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  didYouMean,
  isListed,
  LISTED_SETTINGS,
  paint,
  quoted,
  type SettingInForce,
  setSetting,
  settingOf,
  settingsAsked,
  settingsInForce,
  splitAssignment,
  table,
  unsetSetting,
  wrap,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';
import { wantsColour } from '../process-io.ts';

const IN_FILE = 'Edit bingo.yaml, for example extensions: [./my-sink.js].';
const HOLDS = 'A change takes effect with the next "bingo crawl".';
/** Commands that read the settings of a section, if these are not those of a crawl. */
const READ_BY: Readonly<Record<string, string>> = {
  search: '"bingo search" or "bingo serve"',
  schedule: '"bingo watch"',
  notify: '"bingo notify" or "bingo watch"',
};

export const settings: Command = {
  name: 'settings',
  summary: 'Show settings: the value in force, where it comes from, and what it does.',
  positionals: ['[DIR]', '[WORD]'],
  withoutWorkspace: true,
  flags: {
    all: { help: 'All settings, not only common and changed ones.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'Show the effect of this flag.' },
    json: { help: 'A JSON array on stdout.' },
  },
  examples: [
    ['bingo settings bikes', 'Common settings, and those set in bingo.yaml or the environment.'],
    ['bingo settings bikes network.delayMs', 'One setting with its range and default.'],
    ['bingo settings bikes robots', 'Settings about a word.'],
    ['bingo settings bikes --all', 'All of them.'],
  ],
  notes: [
    'A flag has priority over the environment, the environment over bingo.yaml, bingo.yaml over the default. Without a workspace the defaults are shown.',
    HOLDS,
  ],
  run: runSettings,
};

export const settingsSet: Command = {
  name: 'settings set',
  summary: 'Write a setting into bingo.yaml; comments stay.',
  positionals: ['[DIR]', 'KEY', 'VALUE'],
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [
    ['bingo settings set bikes network.delayMs 1s', 'Wait a second between two requests to a host.'],
    ["bingo settings set bikes crawl.exclude 'example.org, /login'", 'A list.'],
  ],
  notes: [HOLDS],
  run: runSet,
};

export const settingsUnset: Command = {
  name: 'settings unset',
  summary: 'Remove a setting from bingo.yaml; its default applies again.',
  positionals: ['[DIR]', 'KEY'],
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [['bingo settings unset bikes network.delayMs', 'Back to the default.']],
  notes: [HOLDS],
  run: runUnset,
};

async function runSettings(args: Args, io: Io): Promise<number> {
  const [dir, words] = args.positionals;
  const flags = new Map(args.values('set').map(splitAssignment));
  const all = settingsInForce(dir === '' ? undefined : dir, { env: io.env, flags });
  const asked = args.has('all') && words === undefined ? all.filter(isListed) : settingsAsked(all, words);
  if (asked.length === 0) throw unknownSetting(words ?? '');
  if (args.has('json')) await writeJsonArray(io, asked.map(rowOf));
  else await io.out(`${linesOf(asked, io).join('\n')}\n`);
  if (words === undefined && !args.has('all') && !args.has('json'))
    io.err(
      `${all.filter(isListed).length - asked.length} more settings have their default: bingo settings --all, or bingo settings WORD\n`,
    );
  return EXIT.done;
}

async function runSet(args: Args, io: Io): Promise<number> {
  const [dir = '', key = '', value = ''] = args.positionals;
  if (settingOf(key) === undefined && key !== 'store') throw unknownSetting(key);
  setSetting(dir, key, value);
  return report(args, io, key === 'store' ? 'store.url' : key);
}

async function runUnset(args: Args, io: Io): Promise<number> {
  const [dir = '', key = ''] = args.positionals;
  const setting = settingOf(key);
  if (setting === undefined) throw unknownSetting(key);
  if (!unsetSetting(dir, setting)) io.err(`bingo.yaml does not set ${key}.\n`);
  return report(args, io, key);
}

/** Prints the current value, which may differ from the one in the file. */
async function report(args: Args, io: Io, key: string): Promise<number> {
  const now = settingsInForce(args.positionals[0], { env: io.env }).find(({ setting }) => setting.key === key)!;
  if (args.has('json')) await io.out(`${safeJson(rowOf(now))}\n`);
  else io.err(`${key}: ${shown(now)} (${now.from}). ${whenRead(key)}\n`);
  if (now.from === 'environment') io.err(`${now.setting.variable} in the environment has priority over bingo.yaml.\n`);
  return EXIT.done;
}

function whenRead(key: string): string {
  const by = READ_BY[key.split('.')[0]!];
  return by === undefined ? HOLDS : `A change takes effect with the next ${by}.`;
}

function unknownSetting(key: string): UsageError {
  if (key === 'extensions') return new UsageError('This command does not change extensions.', IN_FILE);
  const keys = LISTED_SETTINGS.map((setting) => setting.key);
  const named = keys.filter((known) => known.endsWith(`.${key}`));
  const hint = named.length > 0 ? `Did you mean ${named.join(' or ')}?` : didYouMean(key, keys);
  return new UsageError(
    `No setting has the key or the word ${quoted(key)}.`,
    hint ?? 'bingo settings --all lists them.',
  );
}

function shown({ setting, value }: SettingInForce): string {
  const gloss = setting.rule.gloss?.(value);
  return hidePassword(gloss ?? setting.rule.write(value));
}

function linesOf(asked: readonly SettingInForce[], io: Io): readonly string[] {
  const [only] = asked;
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const width = Math.min(100, io.columns());
  if (asked.length === 1 && only !== undefined) {
    const { setting, from } = only;
    return [
      style.bold(`${setting.key}: ${shown(only)}`),
      ...(setting.instead === undefined ? [] : wrap(`Retired, and still read. ${setting.instead}`, width)),
      ...wrap(setting.help, width),
      `Takes:       ${setting.rule.expects}`,
      `Default:     ${setting.rule.write(setting.default)}`,
      `Comes from:  ${from}`,
      ...(setting.variable === undefined ? [`Change it:   ${IN_FILE}`] : [`Environment: ${setting.variable}`]),
      ...(setting.variable === undefined || setting.instead !== undefined
        ? []
        : [`Change it:   bingo settings set ${setting.key} VALUE`]),
    ];
  }
  const columns = [{ title: 'setting' }, { title: 'value' }, { title: 'from' }, { title: 'what it does' }];
  return table(
    columns.map((column) => ({ ...column, align: 'left' as const })),
    asked.map((one) => [one.setting.key, shown(one), one.from, one.setting.help]),
    width,
  );
}

function rowOf({ setting, value, from }: SettingInForce): object {
  const hidden = typeof value === 'string' ? hidePassword(value) : value;
  const { key, variable, help, instead } = setting;
  return {
    setting: key,
    value: hidden,
    from,
    default: setting.default,
    takes: setting.rule.expects,
    variable,
    help,
    instead,
  };
}
