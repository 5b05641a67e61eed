import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig as UserConfig } from 'vitest/config';

/**
 * Tests in a process of their own: they measure or change it, put something else in the place of modules, look at bytes that depend on
 * what V8 has compiled, or wait for processes of their own. They begin first: most of the long ones are among them.
 */
const ALONE = [
  'test/*.test.ts',
  'test/analyze/hostile.test.ts',
  'test/convert/convert.test.ts',
  'test/cli/{bin,demo,find-terminal,full-disk,hangup,interrupted-sql,kill,kill-adapt,kill-edits,kill-faults,mariadb-restart,mark-live,serve-demo,spread-chaos,tutorials}.test.ts',
  'test/core/packed/packed-document.test.ts',
  'test/crawl/{frontier,link-table,own-copies}.test.ts',
  'test/kit/name-table.test.ts',
  'test/fetch/{body-pieces,fetcher,headers,robots-cache,undici-parts}.test.ts',
  'test/dashboard/{review-terminal,terminal}.test.ts',
  'test/dashboard/*.test.tsx',
  'test/warc/warc-file.test.ts',
  'test/engine/analysis/*.test.ts',
  'test/engine/politeness.test.ts',
  'test/engine/state/{packed-page,start-pages}.test.ts',
  'test/engine/training/*.test.ts',
  'test/fuzz/*.test.ts',
  'test/lab/frozen-web.test.ts',
  // The library that it compares with listens to the process.
  'test/learn/svm.test.ts',
  'test/store/*.test.ts',
];

/** The others of a folder share a few processes: to start one and to load the product in it takes longer than most files of tests. */
const FOLDERS = readdirSync(join(import.meta.dirname, 'test'), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);
const sharing = FOLDERS.map(({ name }) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.{ts,tsx}`],
    exclude: ALONE,
    isolate: false,
    setupFiles: 'test/support/leaves-nothing.ts',
  },
}));

const config: UserConfig = defineConfig({
  test: {
    globalSetup: 'test/support/whole-run.ts',
    // For machines that are busy with much else.
    testTimeout: 120_000,
    // Where nobody watches, a test that failed runs once more: some depend on the order in which threads and servers answer. The output
    // names it. On a developer's machine it fails at once.
    retry: process.env.CI === undefined ? 0 : 1,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Where the processor has protection keys, V8 now and then ends a process of many threads with "Check failed: jit_page.has_value()".
    execArgv: process.platform === 'linux' && process.arch === 'x64' ? ['--no-memory-protection-keys'] : [],
    // Many tests wait for servers and child processes: a worker more than there are cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default'],
    // In the order of their names.
    projects: [{ extends: true, test: { name: 'alone', include: ALONE } }, ...sharing],
  },
});

export default config;
