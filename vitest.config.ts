import { defineConfig, type ViteUserConfig as UserConfig } from 'vitest/config';

const config: UserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    pool: 'forks',
    // Many tests wait for servers and child processes: a worker to a core keeps two cores busy.
    maxWorkers: '100%',
    reporters: ['default'],
  },
});

export default config;
