/** What every extension has. */
export interface ExtensionBase {
  /** Its name in messages and in the journal: small letters, digits and `-`, unique in the workspace. */
  readonly name: string;
}

/** Receives the events of a crawl. It may be slow: events wait in a bounded queue. */
export interface SinkExtension<E = unknown> extends ExtensionBase {
  readonly kind: 'sink';
  /** Receives one event. The next one follows once the promise has resolved. */
  event(event: E): void | Promise<void>;
  /** Called after the last event. */
  close?(): void | Promise<void>;
}

/** Code of the user that takes part in a crawl. */
export type Extension = SinkExtension;

export type ExtensionKind = Extension['kind'];

/** The function that an extension of a kind must have. */
export const EXTENSION_FUNCTIONS: Readonly<Record<ExtensionKind, string>> = { sink: 'event' };

/** Where an extension comes from: the absolute path of an ES module, or an object of the calling program. */
export type ExtensionSource = string | Extension;

/** A checked extension. */
export interface LoadedExtension<E extends Extension = Extension> {
  readonly extension: E;
  /** The absolute path of its module; `undefined` for an object. */
  readonly file?: string;
}
