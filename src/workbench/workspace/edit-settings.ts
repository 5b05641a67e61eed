import { join } from 'node:path';
import { isMap, isScalar, type Node, parseDocument, type YAMLMap } from 'yaml';
import { InputError } from '../../core/index.ts';
import { readDocument, resolved, written } from './edit-workspace.ts';
import { replaceFile } from './replace-file.ts';
import { type Setting, settingOf } from './settings.ts';
import { describeMistakes, parseWorkspace, readFlags, readWorkspaceFile, WORKSPACE_FILE } from './workspace.ts';

/**
 * Writes a setting into bingo.yaml, in one step; all else stays, comments included. Mistakes elsewhere in the file do not matter, so that
 * mistakes can be corrected one by one.
 * @param text the value as it is typed
 * @throws InputError for an unknown key or a wrong value, or a file that is not YAML
 */
export function setSetting(dir: string, key: string, text: string): void {
  const [[known, value]] = [...readFlags(new Map([[key, text]]))] as [[string, unknown]];
  const setting = settingOf(known)!;
  edit(dir, known, (content) => withSetting(content, setting, valueNode(setting, text, value)));
}

/** Removes a setting from bingo.yaml, in the same way, so that its default counts again. False if the file does not name it. */
export function unsetSetting(dir: string, setting: Setting): boolean {
  const before = readWorkspaceFile(dir, dir);
  const after = withoutSetting(before, setting);
  if (after === before) return false;
  edit(dir, setting.key, () => after);
  return true;
}

function edit(dir: string, key: string, change: (text: string) => string): void {
  const before = readWorkspaceFile(dir, dir);
  const { mistakes: broken } = parseWorkspace(before, WORKSPACE_FILE, dir);
  if (readDocument(before).errors.length > 0) throw new InputError(describeMistakes(broken.length), broken);
  const text = change(before);
  const mistakes = parseWorkspace(text, WORKSPACE_FILE, dir).mistakes.filter((mistake) => mistake.key === key);
  if (mistakes.length > 0) throw new InputError(describeMistakes(mistakes.length), mistakes);
  replaceFile(join(dir, WORKSPACE_FILE), text);
}

/** As it is typed if YAML reads the same value, such as `8MiB`; else as the file would have it. */
function valueNode({ rule }: Setting, text: string, value: unknown): Node {
  const typed = parseDocument(text);
  const read = isScalar(typed.contents) && typed.errors.length === 0 ? rule.read(typed.contents.value) : undefined;
  const isSame = rule.item === undefined && read?.ok === true && read.value === value;
  return (isSame ? typed : parseDocument(rule.write(value))).contents as Node;
}

/** The text of a workspace file with a setting. */
function withSetting(text: string, { section, name }: Setting, value: Node): string {
  const document = readDocument(text);
  const root = document.contents as YAMLMap;
  const map = resolved(document, root.get(section, true));
  if (isMap(map)) {
    const old = map.get(name, true);
    if (isScalar(old) && old.comment != null) value.comment = old.comment;
    map.set(name, value);
  } else if (name === 'url' && section === 'store') root.set(section, value);
  else {
    const short = section === 'store' && isScalar(map) && map.value !== null ? { url: map.value } : {};
    const made = document.createNode(short) as YAMLMap;
    made.flow = false;
    made.set(name, value);
    root.set(section, made);
  }
  return written(document, text);
}

/** The text of a workspace file without a setting, and without the section if it is empty then; the same text if it has no such setting. */
function withoutSetting(text: string, { section, name }: Setting): string {
  const document = readDocument(text);
  const root = document.contents;
  if (!isMap(root)) return text;
  const map = resolved(document, root.get(section, true));
  if (section === 'store' && name === 'url' && isScalar(map) && map.value !== null) root.delete(section);
  else if (!isMap(map) || !map.delete(name)) return text;
  else if (map.items.length === 0) root.delete(section);
  return written(document, text);
}
