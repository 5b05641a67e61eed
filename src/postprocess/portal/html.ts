import { escapeMarkup } from '../markup.ts';

/** Safe markup, made only by {@link html}. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly (Markup | undefined)[];

/**
 * Template for markup: inserted text is escaped, markup is kept, `undefined` is dropped. Attributes must be quoted.
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
