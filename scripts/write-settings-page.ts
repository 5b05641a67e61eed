// Writes docs/settings.md from the table of settings. A test compares the two.
import { writeFileSync } from 'node:fs';
import { settingsPage } from '../src/cli/workspace/settings-page.ts';

writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage());
