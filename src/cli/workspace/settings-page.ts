import { describeSetting, SECTIONS, SETTINGS, type Section } from './settings.ts';

const HEAD = `# Settings

Every setting of \`bingo.yaml\`, made from the table that also checks it (\`npm run docs\` writes this page).

A value is looked for in this order: a flag (\`--set network.delayMs=1s\`), the environment (\`BINGO_NETWORK_DELAY_MS=1s\`),
the file, the default. Times are milliseconds or carry a unit (\`250ms\`, \`30s\`, \`90m\`, \`2h\`); sizes are bytes or carry
one (\`512KiB\`, \`8MiB\`). Wrong values, unknown keys and the like are all reported together, each with its line.
`;

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const sections = (Object.keys(SECTIONS) as Section[]).map((section) => {
    const rows = SETTINGS.filter((setting) => setting.section === section).map(
      (setting) => `| \`${setting.name}\` | ${setting.help} | ${describeSetting(setting).replaceAll('|', '\\|')} |`,
    );
    return [
      `## ${section}`,
      '',
      SECTIONS[section],
      '',
      '| setting | what it does | value |',
      '|---|---|---|',
      ...rows,
      '',
    ];
  });
  return [HEAD, ...sections.flat()].join('\n');
}
