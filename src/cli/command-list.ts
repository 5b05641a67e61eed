import type { Command } from './command.ts';

/** A command that is loaded on demand: a query does not load the crawler. */
export interface ListedCommand {
  readonly name: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = [
  { name: 'find', load: async () => (await import('./commands/find.ts')).find },
  { name: 'init', load: async () => (await import('./commands/init.ts')).init },
  { name: 'crawl', load: async () => (await import('./commands/crawl.ts')).crawl },
  { name: 'dashboard', load: async () => (await import('./commands/dashboard.ts')).dashboard },
  { name: 'search', load: async () => (await import('./commands/search.ts')).search },
  { name: 'studio', load: async () => (await import('./commands/studio.ts')).studio },
  { name: 'serve', load: async () => (await import('./commands/serve.ts')).serve },
  { name: 'adapt', load: async () => (await import('./commands/adapt.ts')).adapt },
  { name: 'watch', load: async () => (await import('./commands/watch.ts')).watch },
  { name: 'queries', load: async () => (await import('./commands/queries.ts')).queries },
  { name: 'mcp', load: async () => (await import('./commands/mcp.ts')).mcp },
  { name: 'mark', load: async () => (await import('./commands/mark.ts')).mark },
  { name: 'review', load: async () => (await import('./commands/review.ts')).review },
  { name: 'cluster', load: async () => (await import('./commands/cluster.ts')).cluster },
  { name: 'portal', load: async () => (await import('./commands/portal.ts')).portal },
  { name: 'export', load: async () => (await import('./commands/export.ts')).exportPages },
  { name: 'status', load: async () => (await import('./commands/status.ts')).status },
  { name: 'classify', load: async () => (await import('./commands/classify.ts')).classify },
  { name: 'compare', load: async () => (await import('./commands/compare.ts')).compare },
  { name: 'score', load: async () => (await import('./commands/score.ts')).score },
  { name: 'why', load: async () => (await import('./commands/why.ts')).why },
  { name: 'reclassify', load: async () => (await import('./commands/reclassify.ts')).reclassify },
  { name: 'distill', load: async () => (await import('./commands/distill.ts')).distill },
  { name: 'backlinks', load: async () => (await import('./commands/backlinks.ts')).backlinks },
  { name: 'sql', load: async () => (await import('./commands/sql.ts')).sql },
  { name: 'settings', load: async () => (await import('./commands/settings.ts')).settings },
  { name: 'settings set', load: async () => (await import('./commands/settings.ts')).settingsSet },
  { name: 'settings unset', load: async () => (await import('./commands/settings.ts')).settingsUnset },
  { name: 'topics', load: async () => (await import('./commands/topics.ts')).topics },
  { name: 'topic show', load: async () => (await import('./commands/topic.ts')).topicShow },
  { name: 'topic add', load: async () => (await import('./commands/edit-topic.ts')).topicAdd },
  { name: 'topic good', load: async () => (await import('./commands/topic-good.ts')).topicGood },
  { name: 'topic set', load: async () => (await import('./commands/edit-topic.ts')).topicSet },
  { name: 'topic rename', load: async () => (await import('./commands/edit-topic.ts')).topicRename },
  { name: 'topic move', load: async () => (await import('./commands/edit-topic.ts')).topicMove },
  { name: 'topic remove', load: async () => (await import('./commands/edit-topic.ts')).topicRemove },
  { name: 'add', load: async () => (await import('./commands/edit-topic.ts')).add },
  { name: 'remove', load: async () => (await import('./commands/edit-topic.ts')).remove },
  { name: 'demo', load: async () => (await import('./commands/demo.ts')).demo },
  { name: 'check', load: async () => (await import('./commands/check.ts')).check },
  { name: 'doctor', load: async () => (await import('./commands/doctor.ts')).doctor },
  { name: 'completion', load: async () => (await import('./commands/completion.ts')).completionOf(() => COMMANDS) },
  { name: 'lab serve', load: async () => (await import('./commands/lab.ts')).labServeCommand },
  { name: 'lab run', load: async () => (await import('./commands/lab.ts')).labRunCommand },
  { name: 'lab tasks', load: async () => (await import('./commands/lab.ts')).labTasksCommand },
  { name: 'lab freeze', load: async () => (await import('./commands/lab-freeze.ts')).labFreeze },
  { name: 'lab table', load: async () => (await import('./commands/lab.ts')).labTableCommand },
  { name: 'lab adapt', load: async () => (await import('./commands/lab-adapt.ts')).labAdaptCommand },
  {
    name: 'lab translations',
    load: async () => (await import('./commands/lab-translations.ts')).labTranslationsCommand,
  },
  { name: 'lab order', load: async () => (await import('./commands/lab-order.ts')).labOrderCommand },
  { name: 'lab traps', load: async () => (await import('./commands/lab-traps.ts')).labTrapsCommand },
  {
    name: 'lab catalogues',
    load: async () => (await import('./commands/lab-catalogues.ts')).labCataloguesCommand,
  },
];
