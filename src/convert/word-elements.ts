import { createRequire } from 'node:module';
import { type HidingStyles, isOn } from './word-styles.ts';

/** An element of a Word document, as mammoth reads it; what belongs to drawings of other vocabularies has its namespace in its name. */
interface Element {
  readonly type: 'element';
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  children: readonly WordNode[];
}
type WordNode = Element | { readonly type: 'text'; readonly value: string };

/** The module that mammoth takes its reader of XML from. */
interface Xml {
  readString(xml: string, prefixes: unknown): PromiseLike<WordNode>;
  element(name: string, attributes: Element['attributes'], children: readonly WordNode[]): Element;
  text(value: string): WordNode;
}

const require = createRequire(import.meta.url);
const xml = require('mammoth/lib/xml/index.js') as Xml;
const MATH_PART =
  /^\{http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/officeDocument(?:\/2006)?\/math\}(oMathPara|oMath|t)$/;
/** Shapes that mammoth does not look into for text; it knows rectangles. */
const SHAPES: ReadonlySet<string> = new Set(['v:arc', 'v:curve', 'v:image', 'v:line', 'v:oval', 'v:polyline']);
const OTHER_NAMES: Readonly<Record<string, string>> = { 'w:cr': 'w:br', 'w:ptab': 'w:tab' };
const SHOWN: ReadonlySet<string> = new Set(['w:t', 'w:sym']);

/** In the text, where a part of another format belongs; with its relation. */
export const CHUNK_MARK: RegExp = /<p>\ue0f1([\w.-]{1,100})\ue0f1<\/p>/g;

let readsAll = false;
/** Of the document that is read: one at a time is. */
let hiding: HidingStyles = new Map();

/**
 * Makes mammoth read what it would pass over with all the words in it: simple fields, letters with readings above them, formulas, text boxes of any
 * shape, text that runs the other way. Text that is hidden it would show.
 * @param styles - of the document that is read next
 */
export function readAllOfWord(styles: HidingStyles): void {
  hiding = styles;
  if (readsAll) return;
  readsAll = true;
  const { readString } = xml;
  xml.readString = (text, prefixes) =>
    readString(text, prefixes).then((root) => {
      if (isElement(root)) root.children = root.children.flatMap((part) => known(part, ''));
      return root;
    });
}

function isElement(node: WordNode): node is Element {
  return node.type === 'element';
}

/**
 * A part of a document as mammoth knows it (ECMA-376 part 1, §17, §20.4, §22.1).
 * @param around - style of the paragraph that it is in
 */
function known(node: WordNode, around: string): readonly WordNode[] {
  if (!isElement(node)) return [node];
  const { name } = node;
  const style = name === 'w:p' ? styleOf(node, 'w:pPr', 'w:pStyle') : around;
  const asKnown = (part: WordNode): readonly WordNode[] => known(part, style);
  if (name === 'mc:AlternateContent' || name === 'w:drawing') {
    const boxes = boxesIn(node);
    // The same box stands in each of the ways to draw it.
    if (boxes.length > 0) return [xml.element('w:pict', {}, boxes.flatMap(asKnown))];
  }
  const part = MATH_PART.exec(name)?.[1];
  if (part === 'oMath') return [runOf(textsIn(node).join(' '))];
  node.children = node.children.flatMap(asKnown);
  switch (name) {
    case 'w:r':
      if (isHidden(node, style))
        node.children = node.children.filter((child) => !(isElement(child) && SHOWN.has(child.name)));
      return [node];
    case 'w:fldSimple':
      return fieldOf(node.attributes['w:instr'] ?? '', node.children);
    case 'w:ruby':
      return childrenOf(node, 'w:rubyBase').flatMap(({ children }) => children);
    case 'w:altChunk': {
      const relation = node.attributes['r:id'] ?? '';
      return [xml.element('w:p', {}, [runOf(`\ue0f1${relation}\ue0f1`)])];
    }
    case 'w:bdo':
    case 'w:dir':
      return node.children;
    default:
      if (part === 'oMathPara') return node.children;
      return [renamed(node)];
  }
}

function renamed(element: Element): Element {
  const name = SHAPES.has(element.name) ? 'v:rect' : OTHER_NAMES[element.name];
  return name === undefined ? element : xml.element(name, element.attributes, element.children);
}

function childrenOf(element: Element, name: string): readonly Element[] {
  return element.children.filter((child) => isElement(child) && child.name === name) as readonly Element[];
}

/** Text boxes in a drawing, each once; those in others are parts of these. */
function boxesIn(drawing: Element): readonly Element[] {
  if (drawing.name === 'w:txbxContent') return [drawing];
  for (const way of drawing.name === 'mc:AlternateContent' ? drawing.children : [drawing]) {
    const boxes = isElement(way) ? way.children.filter(isElement).flatMap(boxesIn) : [];
    if (boxes.length > 0) return boxes;
  }
  return [];
}

/** The same field in the long form, which mammoth reads. */
function fieldOf(instruction: string, result: readonly WordNode[]): readonly WordNode[] {
  const mark = (type: string) => xml.element('w:r', {}, [xml.element('w:fldChar', { 'w:fldCharType': type }, [])]);
  const code = xml.element('w:r', {}, [xml.element('w:instrText', {}, [xml.text(instruction)])]);
  return [mark('begin'), code, mark('separate'), ...result, mark('end')];
}

function runOf(text: string): Element {
  return xml.element('w:r', {}, [xml.element('w:t', {}, [xml.text(text)])]);
}

/** The letters and signs of a formula, in order. */
function textsIn(node: WordNode): readonly string[] {
  if (!isElement(node)) return [];
  if (MATH_PART.exec(node.name)?.[1] !== 't') return node.children.flatMap(textsIn);
  return node.children.flatMap((child) => (isElement(child) ? [] : [child.value]));
}

/** By the run itself; else by its style or the paragraph's, and not where both say so: one takes back what the other does (§17.7.3). */
function isHidden(run: Element, paragraphStyle: string): boolean {
  const marks = childrenOf(run, 'w:rPr').flatMap((properties) => childrenOf(properties, 'w:vanish'));
  if (marks.length > 0) return marks.some(({ attributes }) => isOn(attributes['w:val']));
  return (hiding.get(paragraphStyle) === true) !== (hiding.get(styleOf(run, 'w:rPr', 'w:rStyle')) === true);
}

function styleOf(element: Element, properties: string, name: string): string {
  const [style] = childrenOf(element, properties).flatMap((part) => childrenOf(part, name));
  return style?.attributes['w:val'] ?? '';
}
