import { join } from 'node:path';
import { isMap, isScalar, type Node, parseDocument, type YAMLMap } from 'yaml';
import { InputError, type Mistake, UsageError } from '../../core/index.ts';
import { readDocument, resolved, written } from './edit-workspace.ts';
import { replaceFile } from './replace-file.ts';
import { type Setting, settingOf } from './settings.ts';
import { describeMistakes, parseWorkspace, readOverrides, readWorkspaceFile, WORKSPACE_FILE } from './workspace.ts';

/**
 * Writes a setting into bingo.yaml atomically; everything else stays, including comments. Ignores other mistakes in
 * the file, so that mistakes can be corrected one by one.
 * @param text the value as typed
 * @throws UsageError for an unknown key, an invalid value or a retired setting
 * @throws InputError if the file is not YAML
 */
export function setSetting(dir: string, key: string, text: string): void {
  const mistakes: Mistake[] = [];
  const [read] = readOverrides({ flags: new Map([[key, text]]) }, mistakes);
  for (const { message, hint } of mistakes) throw new UsageError(`${key}: ${message}`, hint);
  const [known, value] = read!;
  const setting = settingOf(known)!;
  if (setting.instead !== undefined)
    throw new UsageError(`${known} is retired; bingo.yaml was not changed.`, setting.instead);
  edit(dir, known, (content) => withSetting(content, setting, valueNode(setting, text, value)));
}

/**
 * Removes a setting from bingo.yaml in the same way, so that its default applies again. Returns false if the file
 * does not have it.
 */
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

/** The value as typed if YAML reads it the same, for example `8MiB`; otherwise in the file's form. */
function valueNode({ rule }: Setting, text: string, value: unknown): Node {
  const typed = parseDocument(text);
  const read = isScalar(typed.contents) && typed.errors.length === 0 ? rule.read(typed.contents.value) : undefined;
  const isSame = rule.item === undefined && read?.ok === true && read.value === value;
  return (isSame ? typed : parseDocument(rule.write(value))).contents as Node;
}

/** Returns the text of a workspace file with a setting added. */
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

/** Returns the text of a workspace file without a setting, and without its section if that is empty then. */
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
