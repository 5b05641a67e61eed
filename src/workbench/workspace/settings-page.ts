import { describeSetting, SECTIONS, SETTINGS, type Section } from './settings.ts';

const HEAD = `# Settings

Every setting of \`bingo.yaml\`, made from the table that also checks it (\`npm run docs\` writes this page).

A value is looked for in this order: a flag (\`--set network.delayMs=1s\`), the environment (\`BINGO_NETWORK_DELAY_MS=1s\`),
the file, the default. \`bingo settings\` shows the value in force and where it comes from; \`bingo settings set KEY VALUE\` and
\`bingo settings unset KEY\` change the file and keep its comments. \`bingo init\` writes only the settings that a first crawl needs. Times are milliseconds or carry a unit (\`250ms\`, \`30s\`, \`90m\`, \`2h\`; \`--time\` wants one); sizes are bytes or carry
one (\`512KiB\`, \`8MiB\`). All wrong values, unknown keys and the like are reported before anything is done, each with its line: the first 20, or all with \`--json\`.

The key \`extensions\` names modules that take part in a crawl: [extensions.md](extensions.md).

Most of them never need a change. Words that are not explained here are in the [glossary](../ARCHITECTURE.md#words).

A setting that you change holds from the next run of \`bingo crawl DIR\` on. The run first prints the settings that changed since the run before, except the run's
length: \`since the last run: traps.maxPathDepth 8 → 20\`; with \`--json\` a line
\`{"kind":"settings","changes":[{"setting":"traps.maxPathDepth","before":8,"now":20,"askedAgain":0}]}\`.

- **Links** that a rule of \`crawl\` or \`traps\` kept out are checked again by the current rule. Waiting links that a new rule keeps out are dropped.
- **Fetches** that gave no page because of \`allowPrivate\`, \`robots\`, \`userAgent\` (rules of robots.txt go by names), \`maxBodyBytes\`, \`insecureTls\`,
  \`dnsServers\`, \`minBytesPerSecond\` or a time limit are made again once that setting lets more through; \`askedAgain\` is their number.
- **Stored pages** stay as they were read: \`analyze\`, \`maxLinksPerPage\` and a greater \`maxUrlChars\` count for those fetched from then on. What a change of
  \`learn\` does is said in [topic-tree.md](topic-tree.md#changing-the-tree-later).
`;

/** Why the settings of each section can be adjusted. */
const WHY: { readonly [S in Section]: string } = {
  crawl:
    'Budgets, limits and rules for addresses depend on what you look for. The ordering, its parameters (`tunnel…`, `reserve`, `fairShare`, `learnMaxDepth`) and the ' +
    'queues exist so that `bingo lab run` can compare them and so that the rules of the BINGO! paper can be repeated.',
  network:
    'Limits for each host, domain and address are promises to site owners: an intranet allows more, a slow site less. Timeouts and sizes depend on ' +
    'the network. The DNS settings serve a crawl with its own name server.',
  analyze: 'These bound time and memory for each page; raise them for long documents.',
  learn:
    'The defaults are measured ([quality.md](quality.md)). The settings remain because `bingo lab run` compares feature spaces, selections, votes and thresholds, and because the ' +
    'paper states its own values.',
  distill:
    'The paper and its sources state other values for small and large graphs; a base set bounds memory and time.',
  recheck: 'How often pages change, and how many requests a recheck may cost, depends on the sites.',
  traps:
    'The figures are measured in the trap park ([traps.md](traps.md)). A site whose addresses look like a trap but are not needs another value.',
  store:
    'One file suits one machine; a server suits several readers. `batch` and `flushMs` trade writing speed against what a crash can lose.',
};

/** Returns the text of docs/settings.md. */
export function settingsPage(): string {
  const sections = (Object.keys(SECTIONS) as Section[]).map((section) => {
    const rows = SETTINGS.filter((setting) => setting.section === section).map(
      (setting) => `| \`${setting.name}\` | ${setting.help} | ${describeSetting(setting).replaceAll('|', '\\|')} |`,
    );
    return [
      `## ${section}`,
      '',
      `${SECTIONS[section]} ${WHY[section]}`,
      '',
      '| setting | what it does | value |',
      '|---|---|---|',
      ...rows,
      '',
    ];
  });
  return [HEAD, ...sections.flat()].join('\n');
}
