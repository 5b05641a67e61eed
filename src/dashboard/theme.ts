/** How a piece of text looks: props of ink's `Text`. */
export interface Look {
  readonly color?: string;
  readonly bold?: boolean;
  readonly inverse?: boolean;
}

/**
 * The few looks that we use. Colours are those that a terminal's own palette makes readable on light and dark; nothing is
 * told by colour alone.
 */
export interface Theme {
  readonly good: Look;
  readonly bad: Look;
  readonly accent: Look;
  readonly strong: Look;
  readonly selected: Look;
}

export const COLOURFUL: Theme = {
  good: { color: 'green' },
  bad: { color: 'red', bold: true },
  accent: { color: 'cyan' },
  strong: { bold: true },
  selected: { inverse: true },
};

/** For `NO_COLOR`: weight and inversion are no colours. */
export const COLOURLESS: Theme = {
  good: {},
  bad: { bold: true },
  accent: {},
  strong: { bold: true },
  selected: { inverse: true },
};
