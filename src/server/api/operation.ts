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
  /** Number of the last event that the client has, when it connects again. */
  readonly lastEventId: number;
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
  readonly body: z.ZodType | undefined;
  /** What it answers with: a JSON value, or text of a media type in pieces. */
  readonly answer: z.ZodType | Media;
  /** Takes long: few run at a time. */
  readonly isHeavy: boolean;
  /** Its body may hold files. */
  readonly isUpload: boolean;
  readonly run: (call: RawCall) => Promise<unknown>;
}

/** Text of a media type; `run` yields its pieces. */
export interface Media {
  readonly media: string;
  readonly what: string;
}

interface Parts<Q extends z.ZodRawShape, B extends z.ZodType, A> {
  readonly id: string;
  readonly method?: Operation['method'];
  readonly path: string;
  readonly summary: string;
  /** Default: read. */
  readonly scope?: Scope;
  readonly query?: Q;
  readonly body?: B;
  readonly isHeavy?: boolean;
  readonly isUpload?: boolean;
  readonly answer: z.ZodType<A>;
  readonly run: (call: Call<z.infer<z.ZodObject<Q>>, z.infer<B>>) => Promise<NoInfer<A>>;
}

type Nothing = Readonly<Record<never, never>>;

const IN_WORKSPACE = '/workspaces/{workspace}';

/** Defines an operation. Its input is checked before it runs. */
export function operation<A, Q extends z.ZodRawShape = Nothing, B extends z.ZodType = z.ZodUndefined>(
  parts: Parts<Q, B, A>,
): Operation {
  const {
    method = 'get',
    scope = 'read',
    isHeavy = false,
    isUpload = false,
    query = {} as Q,
    body,
    run,
    ...rest
  } = parts;
  const querySchema = z.object(query);
  return {
    ...rest,
    ...{ method, scope, isHeavy, isUpload, query: querySchema, body },
    run: async ({ workspace, query: asked, body: sent, ...call }) => {
      const { workspaces } = call;
      const served = rest.path.startsWith(IN_WORKSPACE) ? workspaces.named(workspace) : ({} as Served);
      const input = body === undefined ? undefined : readInput(body, sent);
      return await run({ ...call, served, query: readQuery(querySchema, asked) as never, body: input as never });
    },
  };
}

/** Defines an operation that answers with text in pieces. */
export function stream<Q extends z.ZodRawShape = Nothing>({
  media,
  what,
  ...parts
}: Omit<Parts<Q, z.ZodUndefined, AsyncIterable<string>>, 'answer'> & Media): Operation {
  return { ...operation({ ...parts, answer: z.custom<AsyncIterable<string>>() }), answer: { media, what } };
}
