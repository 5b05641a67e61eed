import { Connection } from '../client/connection.ts';

/** Connection to this server, below a workspace or, without a name, above all. */
export function api(workspace?: string): Connection {
  const path = workspace === undefined ? '' : `/workspaces/${encodeURIComponent(workspace)}`;
  return new Connection(`${location.origin}/api/v1${path}`, undefined);
}

/** An error in the words of the server, with what to do about it. */
export function told(error: unknown): string {
  const { message = String(error), hint } = error as { readonly message?: string; readonly hint?: string };
  return hint === undefined ? message : `${message} ${hint}`;
}

/** Returns an address that a page may link to; `undefined` for other schemes. */
export function linkable(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined;
}
