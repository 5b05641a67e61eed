/** Recreates the Office documents of the tests with LibreOffice: `node scripts/make-office-fixtures.ts [FOLDER]`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../test/convert/office');
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  'letter.fodt': ['odt', 'rtf', 'doc:MS Word 97', 'docx:MS Word 2007 XML', 'epub', 'pdf'],
  'slides.fodp': ['odp', 'ppt:MS PowerPoint 97', 'pptx:Impress MS PowerPoint 2007 XML'],
};

const folder = process.argv[2] ?? SOURCES;
const profile = mkdtempSync(join(tmpdir(), 'bingo-office-'));
for (const [source, targets] of Object.entries(TARGETS))
  for (const target of targets) {
    const flags = ['--headless', `-env:UserInstallation=file://${profile}`, '--convert-to', target, '--outdir', folder];
    const { status, stderr } = spawnSync('soffice', [...flags, join(SOURCES, source)]);
    if (status !== 0) throw new Error(`soffice made no ${target} of ${source}: ${stderr}`);
  }
rmSync(profile, { recursive: true, force: true });
