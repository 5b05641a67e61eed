import * as z from 'zod';
import { readInput, readQuery } from '../read-input.ts';
import type { Served, ServedWorkspaces } from '../served.ts';

/** What a token may do. Each includes the ones before. */
export const SCOPES = ['read', 'judge', 'steer'] as const;
export type Scope = (typeof SCOPES)[number];

/** A request, read and checked. */
export interface Call<Q, B> {
  readonly workspaces: ServedWorkspaces;
  /** The workspace in the path. */
  readonly served: Served;
  readonly query: Q;
  readonly body: B;
  /** Aborts if the client leaves. */
  readonly signal: AbortSignal;
}

/** A request before it is checked. */
export interface RawCall extends Omit<Call<unknown, unknown>, 'served' | 'query' | 'body'> {
  /** Name of the workspace in the path. */
  readonly workspace: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** One operation of the API: the same schemas check requests and describe them. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject | undefined;
  /** What it answers with: a JSON value, or text of a media type. */
  readonly answer: z.ZodType | { readonly media: string; readonly what: string };
  readonly run: (call: RawCall) => Promise<unknown>;
}

interface Parts<Q extends z.ZodRawShape, B extends z.ZodRawShape, A> {
  readonly id: string;
  readonly method?: Operation['method'];
  readonly path: string;
  readonly summary: string;
  /** Default: read. */
  readonly scope?: Scope;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: z.ZodType<A>;
  readonly run: (call: Call<z.infer<z.ZodObject<Q>>, z.infer<z.ZodObject<B>>>) => Promise<NoInfer<A>>;
}

type Nothing = Readonly<Record<never, never>>;

const IN_WORKSPACE = '/workspaces/{workspace}';

/** Defines an operation. Its input is checked before it runs. */
export function operation<A, Q extends z.ZodRawShape = Nothing, B extends z.ZodRawShape = Nothing>(
  parts: Parts<Q, B, A>,
): Operation {
  const { method = 'get', scope = 'read', query = {} as Q, body, run, ...rest } = parts;
  const [querySchema, bodySchema] = [z.object(query), body === undefined ? undefined : z.object(body)];
  return {
    ...rest,
    ...{ method, scope, query: querySchema, body: bodySchema },
    run: async ({ workspace, query: asked, body: sent, ...call }) => {
      const { workspaces } = call;
      const served = rest.path.startsWith(IN_WORKSPACE) ? workspaces.named(workspace) : ({} as Served);
      const input = bodySchema === undefined ? {} : readInput(bodySchema, sent ?? {});
      return await run({
        ...call,
        served,
        query: readQuery(querySchema, asked) as never,
        body: input as never,
      });
    },
  };
}
