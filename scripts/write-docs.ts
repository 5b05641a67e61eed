// Writes docs/settings.md from the table of settings, and docs/commands.md from what commands say of themselves. Tests compare.
import { writeFileSync } from 'node:fs';
import { COMMANDS } from '../src/cli/command-list.ts';
import { commandsPage } from '../src/cli/commands-page.ts';
import { settingsPage } from '../src/workbench/workspace/settings-page.ts';

const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage());
writeFileSync(new URL('../docs/commands.md', import.meta.url), commandsPage(commands));
