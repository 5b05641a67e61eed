/** An archive whose members are read on demand, all of them together within the limit. */
export interface Archive {
  /** Names of the files in it, folders left out. */
  readonly names: readonly string[];
  /** Returns the content of a member; `undefined` if no member has this name. */
  read(name: string): Promise<Uint8Array | undefined>;
}
