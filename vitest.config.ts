import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig as UserConfig } from 'vitest/config';

const config: UserConfig = defineConfig({
  test: {
    globalSetup: 'test/support/whole-run.ts',
    include: ['test/**/*.test.{ts,tsx}'],
    // For machines that are busy with much else.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Where the processor has protection keys, V8 now and then ends a process of many threads with "Check failed: jit_page.has_value()".
    execArgv: process.platform === 'linux' && process.arch === 'x64' ? ['--no-memory-protection-keys'] : [],
    // Many tests wait for servers and child processes: a worker more than there are cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default'],
  },
});

export default config;
