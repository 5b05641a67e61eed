// Writes docs/library-reference.md from the types of the library, docs/settings.md from the table of settings, and
// docs/commands.md from the help of the commands. Tests check that they match.
import { writeFileSync } from 'node:fs';
import { COMMANDS } from '../src/cli/command-list.ts';
import { commandsPage } from '../src/cli/commands-page.ts';
import { manPage } from '../src/cli/man-page.ts';
import { settingsPage } from '../src/workbench/workspace/settings-page.ts';
import { libraryReference } from './library-reference.ts';
import { libraryTypes } from './library-types.ts';

const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage());
writeFileSync(new URL('../docs/commands.md', import.meta.url), commandsPage(commands));
writeFileSync(new URL('../docs/library-reference.md', import.meta.url), libraryReference(libraryTypes('.').library));
writeFileSync(new URL('../docs/bingo.1', import.meta.url), manPage(commands));
