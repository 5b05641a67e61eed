/** One entry of the navigation: a Markdown file below the root of the project. */
export interface SitePage {
  readonly file: string;
  readonly title: string;
}

/** The navigation of the documentation site, by group. A missing file fails the build. */
export const NAVIGATION: readonly (readonly [group: string, pages: readonly SitePage[]])[] = [
  ['Start', [{ file: 'README.md', title: 'What Bingo is' }]],
  [
    'Tutorials',
    [
      { file: 'docs/tutorial-needle.md', title: 'A needle in a haystack' },
      { file: 'docs/tutorial-portal.md', title: 'A portal that stays alive' },
      { file: 'docs/studio-walk.md', title: 'All in a browser' },
      { file: 'docs/tutorial-corpus.md', title: 'A clean corpus' },
    ],
  ],
  [
    'Use',
    [
      { file: 'docs/recipes.md', title: 'Recipes' },
      { file: 'docs/topic-tree.md', title: 'Topics and examples' },
      { file: 'docs/review.md', title: 'Review and marks' },
      { file: 'docs/search.md', title: 'Search' },
      { file: 'docs/adapt.md', title: 'Adapting to queries' },
      { file: 'docs/studio.md', title: 'The studio' },
      { file: 'docs/portal.md', title: 'The portal' },
      { file: 'docs/publish.md', title: 'Publish a portal' },
      { file: 'docs/watching.md', title: 'Watching' },
      { file: 'docs/dashboard.md', title: 'Dashboard' },
      { file: 'docs/several-machines.md', title: 'Several machines' },
      { file: 'docs/alarms.md', title: 'Alarms' },
      { file: 'docs/troubleshooting.md', title: 'Troubleshooting' },
    ],
  ],
  [
    'Concepts',
    [
      { file: 'docs/concepts.md', title: 'How Bingo thinks' },
      { file: 'docs/traps.md', title: 'Traps and copies' },
      { file: 'docs/formats.md', title: 'Formats' },
      { file: 'docs/methods.md', title: 'Methods' },
      { file: 'ARCHITECTURE.md', title: 'Architecture' },
      { file: 'docs/extending.md', title: 'How to add something' },
    ],
  ],
  [
    'Reference',
    [
      { file: 'docs/commands.md', title: 'Commands' },
      { file: 'docs/settings.md', title: 'Settings' },
      { file: 'docs/library.md', title: 'Library' },
      { file: 'docs/api.md', title: 'API' },
      { file: 'docs/agents.md', title: 'Agents' },
      { file: 'docs/extensions.md', title: 'Extensions' },
      { file: 'docs/library-reference.md', title: 'Library reference' },
      { file: 'docs/schema.md', title: 'Tables and views' },
      { file: 'docs/focus-queries.md', title: 'Queries of the Focus papers' },
      { file: 'docs/lab.md', title: 'The lab' },
    ],
  ],
  [
    'Measurements',
    [
      { file: 'docs/quality.md', title: 'Quality' },
      { file: 'docs/benchmarks.md', title: 'Benchmarks' },
      { file: 'docs/dependencies.md', title: 'Libraries' },
      { file: 'CHANGELOG.md', title: 'Changes' },
      { file: 'CONTRIBUTING.md', title: 'Contributing' },
    ],
  ],
];
