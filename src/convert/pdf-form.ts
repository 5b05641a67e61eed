import { escapeHtml, htmlLink } from '../analyze/index.ts';

/** A piece of a page of an XFA form, as pdf.js lays it out. */
export interface FormNode {
  readonly name: string;
  readonly value?: string | null;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly children?: readonly (FormNode | null)[];
}

/** Elements of a form without text about its subject: choices and drawings. */
const UNREAD = new Set(['button', 'option', 'select', 'style', 'svg']);
/** Each begins a line of its own. */
const BLOCKS = new Set(['div', 'li', 'p', 'label']);

/**
 * The words of a page of a form that is drawn by the reader alone (XFA): its labels, its texts with their links, and what is filled in.
 * To readers that do not know such forms the file holds one page that says "Please wait…".
 */
export function formHtml({ name, value, attributes = {}, children = [] }: FormNode): string {
  if (UNREAD.has(name)) return '';
  if (name === 'input' || name === 'textarea') return filledIn(attributes);
  const words = `${escapeHtml(value ?? '')}${children.map((child) => child && formHtml(child)).join('')}`;
  const { href } = attributes;
  if (name === 'a' && typeof href === 'string') return htmlLink(href, value ?? '');
  return BLOCKS.has(name) && words.trim() !== '' ? `<div>${words}</div>` : words;
}

function filledIn({ type = 'text', value, textContent = value }: Readonly<Record<string, unknown>>): string {
  return type === 'text' && typeof textContent === 'string' ? ` ${escapeHtml(textContent)}` : '';
}
