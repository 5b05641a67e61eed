/** A key as received from the terminal: a character, or a name. */
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
  | { readonly name: 'interrupt' };
