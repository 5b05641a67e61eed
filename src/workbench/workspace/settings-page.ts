import { describeSetting, LISTED_SETTINGS, SECTIONS, SETTINGS, type Section } from './settings.ts';

const HEAD = `# Settings

Every setting of \`bingo.yaml\`, made from the table that also checks it (\`npm run docs\` writes this page).

Bingo looks for a value in this order: a flag (\`--set network.delayMs=1s\`), the environment (\`BINGO_NETWORK_DELAY_MS=1s\`),
the file, the default. \`bingo settings\` shows the value in force and where it comes from; \`bingo settings set KEY VALUE\` and
\`bingo settings unset KEY\` change the file and keep its comments. \`bingo init\` writes only the settings that a first crawl needs. Times are milliseconds or carry a unit (\`250ms\`, \`30s\`, \`90m\`, \`2h\`; \`--time\` wants one); sizes are bytes or carry
one (\`512KiB\`, \`8MiB\`). All wrong values, unknown keys and the like are reported before anything is done, each with its line: the first 20, or all with \`--json\`.

The key \`extensions\` names modules that take part in a crawl: [extensions.md](extensions.md).

None of them needs a change for a good result: the defaults are measured ([quality.md](quality.md), [traps.md](traps.md)). Words that are not explained here are in the [glossary](../ARCHITECTURE.md#words).

A change takes effect with the next run of \`bingo crawl DIR\`. The run first prints the settings that changed since the previous run, except its
length: \`since the last run: traps.maxPathDepth 8 → 20\`; with \`--json\` a line
\`{"kind":"settings","changes":[{"setting":"traps.maxPathDepth","before":8,"now":20,"askedAgain":0}]}\`.

- **Links** that a rule of \`crawl\` or \`traps\` kept out are checked again by the current rule. Waiting links that a new rule keeps out are dropped.
- **Fetches** that gave no page because of \`allowPrivate\`, \`robots\`, \`userAgent\` (rules of robots.txt go by names), \`maxBodyBytes\`, \`insecureTls\`,
  \`dnsServers\` or a time limit are repeated if that setting is now more permissive; \`askedAgain\` is their number.
- **Stored pages** stay as they were read: \`analyze\` and a greater \`maxUrlChars\` apply to pages fetched later. What a change of
  \`learn\` does is said in [topic-tree.md](topic-tree.md#changing-the-tree-later).
`;

/** Settings of the last versions that are no longer listed. */
const RETIRED = `## Retired

These settings are still read, so that older files keep their effect. \`bingo crawl\` and \`bingo settings KEY\` say what to do instead.

| setting | instead |
|---|---|
`;

/** Returns the text of docs/settings.md. */
export function settingsPage(): string {
  const sections = (Object.keys(SECTIONS) as Section[]).map((section) => {
    const rows = LISTED_SETTINGS.filter((setting) => setting.section === section).map(
      (setting) =>
        `| \`${setting.name}\` | ${setting.help} | ${describeSetting(setting).replaceAll('|', '\\|')} | ${setting.why} |`,
    );
    return [
      `## ${section}`,
      '',
      SECTIONS[section],
      '',
      '| setting | what it does | value | why change it |',
      '|---|---|---|---|',
      ...rows,
      '',
    ];
  });
  const old = SETTINGS.flatMap(({ key, instead }) => (instead === undefined ? [] : [`| \`${key}\` | ${instead} |\n`]));
  return [HEAD, ...sections.flat(), `${RETIRED}${old.join('')}`].join('\n');
}
