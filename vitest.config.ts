import { defineConfig, type ViteUserConfig as UserConfig } from 'vitest/config';

const config: UserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    pool: 'forks',
    reporters: ['default'],
  },
});

export default config;
