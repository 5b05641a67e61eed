/** A click of the left button, in columns and rows from 0. */
export interface Click {
  readonly name: 'click';
  readonly column: number;
  readonly row: number;
}

/** A key as received from the terminal: a character, or a name; or a click. */
export type KeyPress =
  | {
      readonly name:
        | 'up'
        | 'down'
        | 'page-up'
        | 'page-down'
        | 'home'
        | 'end'
        | 'enter'
        | 'escape'
        | 'tab'
        | 'backspace';
    }
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'interrupt' }
  | Click;
