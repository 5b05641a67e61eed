import { Parser } from 'htmlparser2';
import { localName } from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { attributeOf } from './xml-text.ts';

/** Whether text is hidden (`w:vanish`, ECMA-376 part 1, §17.3.2.41) that has a style, by the style's id. */
export type HidingStyles = ReadonlyMap<string, boolean>;

const STYLES_PART = /^word\/styles\d*\.xml$/;
/** Styles may stand in a circle. */
const MAX_BASES = 20;

/** What the styles of a Word document say of hidden text, each by itself or by the one that it is based on. */
export async function hidingStyles(archive: Archive): Promise<HidingStyles> {
  const part = archive.names.find((name) => STYLES_PART.test(name));
  const xml = part === undefined ? '' : ((await archive.read(part))?.toString() ?? '');
  const bases = new Map<string, string>();
  const own = new Map<string, boolean>();
  let style = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = localName(name);
        if (local === 'style') style = attributeOf(attributes, 'styleId') ?? '';
        else if (local === 'basedOn') bases.set(style, attributeOf(attributes, 'val') ?? '');
        else if (local === 'vanish') own.set(style, isOn(attributeOf(attributes, 'val')));
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return own.size === 0 ? own : new Map([...bases.keys(), ...own.keys()].map((id) => [id, isHiding(id, own, bases)]));
}

function isHiding(id: string, own: HidingStyles, bases: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = id, i = 0; at !== undefined && i < MAX_BASES; at = bases.get(at), i++) {
    const said = own.get(at);
    if (said !== undefined) return said;
  }
  return false;
}

/** The value of a property that is on or off (ECMA-376 part 1, §17.17.4). */
export function isOn(value: string | undefined): boolean {
  return !['0', 'false', 'off'].includes(value ?? '');
}
