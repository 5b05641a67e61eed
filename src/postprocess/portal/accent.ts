import type { Curation } from './curation.ts';
import { html } from './html.ts';
import type { PortalView } from './parts.ts';

type Colour = readonly [red: number, green: number, blue: number];

/** Least contrast of text against its ground (WCAG 2.2, 1.4.3). */
const CONTRAST = 4.5;
const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
const BLUE: Colour = [10, 88, 166];
/** The darkest ground of a light theme and the lightest of a dark one: what is readable there is so on all. */
const LIGHT: Colour = [236, 230, 218];
const DARK: Colour = [34, 40, 49];

/** Returns the style of links and buttons in the accent colour, made darker or lighter until it can be read. */
export function accentStyle({ accent }: Curation): string {
  if (accent === undefined) return '/* No accent colour was chosen: those of the theme hold. */\n';
  const light = readable(accent, LIGHT, BLACK);
  const dark = readable(accent, DARK, WHITE);
  return `:root { --link: ${hex(light)}; --bar: ${hex(light)}; }
@media (prefers-color-scheme: dark) {
  :root { --link: ${hex(dark)}; --bar: ${hex(dark)}; }
}
`;
}

/** Returns the icon of a portal: the first letter of its name on its colour. */
export function favicon({ title, curation }: PortalView): string {
  const [letter = 'B'] = [...title.toUpperCase()].filter((one) => /[\p{L}\p{N}]/u.test(one));
  const ground = readable(curation.accent ?? BLUE, WHITE, BLACK);
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${hex(ground)}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text></svg>
`.text;
}

/** Moves a colour towards another until it stands out from the ground. */
function readable(colour: Colour, ground: Colour, towards: Colour): Colour {
  for (let share = 0; share < 1; share += 0.05) {
    const [red, green, blue] = colour.map((part, i) => part + share * ((towards[i] ?? 0) - part));
    const mixed: Colour = [red ?? 0, green ?? 0, blue ?? 0];
    if (contrast(mixed, ground) >= CONTRAST) return mixed;
  }
  return towards;
}

function contrast(a: Colour, b: Colour): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Relative luminance in [0,1] (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function hex(colour: Colour): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
