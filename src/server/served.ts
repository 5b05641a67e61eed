import { BingoError } from '../core/index.ts';
import type { OpenWorkspace } from '../workbench/index.ts';

/** A workspace with the name that requests use. */
export interface Served {
  readonly name: string;
  readonly workspace: OpenWorkspace;
}

/** The workspaces of a server, by name. */
export class ServedWorkspaces {
  readonly all: readonly Served[];

  /** Names each workspace after its folder; folders of the same name are numbered. */
  constructor(workspaces: readonly OpenWorkspace[]) {
    const all = new Map<string, Served>();
    for (const workspace of workspaces) {
      let name = workspace.title;
      for (let n = 2; all.has(name); n++) name = `${workspace.title}-${n}`;
      all.set(name, { name, workspace });
    }
    this.all = [...all.values()];
  }

  /** @throws NotFoundError for an unknown name */
  named(name: string): Served {
    const found = this.all.find((served) => served.name === name);
    if (found !== undefined) return found;
    const known = this.all.map((served) => served.name).join(', ');
    throw new NotFoundError(`No workspace is named "${name}".`, `Known workspaces: ${known}.`);
  }

  /** Returns the only workspace, or the one with this name. */
  only(name?: string): Served {
    const [first, second] = this.all;
    if (name !== undefined) return this.named(name);
    if (first !== undefined && second === undefined) return first;
    throw new NotFoundError('Several workspaces are served.', `Name one: ${this.all.map((s) => s.name).join(', ')}.`);
  }
}

/** The request names something that does not exist. */
export class NotFoundError extends BingoError {
  constructor(message: string, hint?: string) {
    super({ code: 'NOT_FOUND', message, hint });
  }
}
