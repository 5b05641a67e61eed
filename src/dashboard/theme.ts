/** Style of a piece of text: props of ink's `Text`. */
export interface Look {
  readonly color?: string;
  readonly bold?: boolean;
  readonly inverse?: boolean;
}

/**
 * The text styles in use. Colours are from the terminal's own palette, readable on light and dark; no information is
 * given by colour alone.
 */
export interface Theme {
  readonly good: Look;
  readonly bad: Look;
  readonly accent: Look;
  /** Keys that can be pressed or clicked. */
  readonly key: Look;
  readonly strong: Look;
  readonly selected: Look;
}

export const COLOURFUL: Theme = {
  good: { color: 'green' },
  bad: { color: 'red', bold: true },
  accent: { color: 'cyan' },
  // Of the palette's colours, the one that has contrast on both white and black.
  key: { color: 'magenta', bold: true },
  strong: { bold: true },
  selected: { inverse: true },
};

/** For `NO_COLOR`: bold and inverse text are not colours. */
export const COLOURLESS: Theme = {
  good: {},
  bad: { bold: true },
  accent: {},
  key: { bold: true },
  strong: { bold: true },
  selected: { inverse: true },
};
