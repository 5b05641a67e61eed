import { BESIDE_TEXT, PARAGRAPH, type TextStructure } from '../../core/index.ts';
import { decodeText } from './entities.ts';
import type { Layout } from './layout.ts';
import type { MainText } from './main-text.ts';
import { MAX_CODE_CHARS } from './paragraph-kinds.ts';

/** Limit on the source code of a page. */
const MAX_ALL_CODE_CHARS = 200_000;

/**
 * Returns what these paragraphs are; undefined if all are plain and nothing was left out of them. Addresses of images
 * are as written.
 */
export function structureIn(layout: Layout, { shown, beside }: MainText): TextStructure | undefined {
  const kinds = shown.map((block) => (beside.has(block) ? block.kind | BESIDE_TEXT : block.kind));
  const isPlain = kinds.every((kind) => kind === PARAGRAPH.plain);
  if (isPlain && layout.images.length === 0) return undefined;
  const { codes, images, blocks } = layout;
  const places = codes.length + images.length === 0 ? undefined : new Map(shown.map((block, i) => [block, i]));
  const placeOf = (block: number): number | undefined => {
    const found = blocks[block];
    return found && places?.get(found);
  };
  return { kinds, codes: codesIn(layout, placeOf), images: imagesIn(layout, placeOf, shown.length) };
}

function codesIn(layout: Layout, placeOf: (block: number) => number | undefined): TextStructure['codes'] {
  let room = MAX_ALL_CODE_CHARS;
  return layout.codes.flatMap(({ block, source, start, end }) => {
    const place = placeOf(block);
    if (place === undefined || end <= start || room <= 0) return [];
    const written = source.slice(start, Math.min(end, start + 4 * MAX_CODE_CHARS));
    const bare = written.includes('<') ? written.replace(/<[^<>]{0,500}>/g, '') : written;
    const text = (bare.includes('&') ? decodeText(bare) : bare)
      .slice(0, Math.min(MAX_CODE_CHARS, room))
      .replace(/^\r?\n/, '')
      .trimEnd()
      .toWellFormed();
    room -= text.length;
    return [[place, text] as const];
  });
}

function imagesIn(
  { images }: Layout,
  placeOf: (block: number) => number | undefined,
  end: number,
): TextStructure['images'] {
  return images.flatMap(({ block, alternative, source }) => {
    // Images of paragraphs that are left out are left out, too.
    const place =
      placeOf(block) ?? (block > 0 && placeOf(block - 1) !== undefined ? placeOf(block - 1)! + 1 : undefined);
    return place === undefined ? [] : [[Math.min(place, end), alternative, source] as const];
  });
}
