import { BingoError, InputError, UsageError, WorkspaceLockedError } from '../core/index.ts';

/** An error as programs receive it. */
export interface ErrorReply {
  /** Stable, for programs. */
  readonly code: string;
  readonly message: string;
  /** What the caller can do about it. */
  readonly hint?: string;
}

/** A request that the server refuses, with its status. */
export class RefusedError extends BingoError {
  readonly status: number;

  constructor(status: number, parts: { readonly code: string; readonly message: string; readonly hint?: string }) {
    super(parts);
    this.status = status;
  }
}

/** HTTP status of an error. */
export function statusOf(error: unknown): number {
  if (error instanceof RefusedError) return error.status;
  if (error instanceof NotFoundError) return 404;
  if (error instanceof UsageError || error instanceof InputError) return 400;
  if (error instanceof WorkspaceLockedError || error instanceof BusyError) return 409;
  const code = error instanceof BingoError ? error.code : '';
  if (code.startsWith('SQL_')) return 400;
  if (['NO_MODEL', 'NOT_POSSIBLE', 'STORE_MISSING'].includes(code)) return 409;
  return 500;
}

/** Describes an error. Errors that are not for the user stay in the server's output. */
export function errorReply(error: unknown): ErrorReply {
  if (error instanceof BingoError) return replyOf(error);
  return { code: 'UNEXPECTED', message: 'The server failed.', hint: 'Its output has the error.' };
}

/** Describes an error of ours. */
export function replyOf({ code, message, hint }: BingoError): ErrorReply {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** The request names something that does not exist. */
export class NotFoundError extends BingoError {
  constructor(message: string, hint?: string) {
    super({ code: 'NOT_FOUND', message, hint });
  }
}

/** Something else must end first. */
export class BusyError extends BingoError {
  constructor(message: string, hint?: string) {
    super({ code: 'BUSY', message, hint });
  }
}
