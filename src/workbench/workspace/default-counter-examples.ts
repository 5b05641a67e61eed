import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CanonicalUrl, canonicalize } from '../../core/index.ts';
import { parseYaml } from './parse-yaml.ts';
import { PACKAGE_ROOT } from './product.ts';

/** The word for the built-in list under `others:`. */
export const EVERYDAY = 'everyday';

let pages: readonly CanonicalUrl[] | undefined;

/** About fifty pages on everyday subjects: the default counter-examples. */
export function everydayPages(): readonly CanonicalUrl[] {
  pages ??= readPages();
  return pages;
}

function readPages(): readonly CanonicalUrl[] {
  const text = readFileSync(join(PACKAGE_ROOT, 'topics', 'others.yaml'), 'utf8');
  const { others } = parseYaml(text).toJS() as { readonly others: readonly string[] };
  return others.flatMap((url) => canonicalize(url) ?? []);
}
