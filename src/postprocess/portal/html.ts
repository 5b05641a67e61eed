import { escapeMarkup } from '../markup.ts';

/** Markup that is safe as it is. Only {@link html} makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly (Markup | undefined)[];

/**
 * Markup with holes: text that is put in is escaped, markup stays, `undefined` vanishes. Attributes must be quoted.
 * @example html`<a href="${url}">${title}</a>`
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, i) => `${text}${rendered(parts[i - 1])}${string}`));
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join('');
  return escapeMarkup(String(part));
}
