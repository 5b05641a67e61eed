import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Served, serveMade } from './support/served.ts';

/** What the generator reads of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

/** Returns a schema as a TypeScript type. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const ways = schema.anyOf ?? schema.oneOf;
  if (ways !== undefined) return ways.map((way) => `(${typeOf(way)})`).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  if (fields.length > 0) return `{ ${fields.join(' ')} }`;
  return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`;
}

/** Writes a client in TypeScript: a type per schema, a function per operation. */
function clientOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}): string {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => {
      const given = one.parameters.map(
        ({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`,
      );
      const body = one.requestBody?.content['application/json']?.schema;
      const answer = one.responses['200']!.content['application/json']?.schema;
      const inPath = one.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      // Generators rename what is a reserved word.
      const name = one.operationId === 'export' ? 'exportPages' : one.operationId;
      return `export async function ${name}(base: string, given: { ${given.join('; ')} }${
        body === undefined ? '' : `, body: ${typeOf(body)}`
      }): Promise<${answer === undefined ? 'string' : typeOf(answer)}> {
  return (await send(base, '${method.toUpperCase()}', '${path}', ${JSON.stringify(inPath)}, given, ${
    body === undefined ? 'undefined' : 'body'
  })) as never;
}`;
    }),
  );
  return `${types.join('\n')}
async function send(base: string, method: string, path: string, inPath: readonly string[], given: object, body: unknown): Promise<unknown> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (inPath.includes(name)) path = path.replace('{' + name + '}', encodeURIComponent(String(value)));
    else for (const one of [value].flat()) query.append(name, String(one));
  const init = body === undefined ? { method } : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(base + path + '?' + query, init);
  if (!answer.ok) throw new Error(((await answer.json()) as { error: { code: string } }).error.code);
  return answer.headers.get('content-type')?.includes('json') ? await answer.json() : await answer.text();
}
${operations.join('\n')}
`;
}

const USE = `import * as client from './client.ts';
export async function use(base: string, workspace: string): Promise<readonly unknown[]> {
  const { workspaces } = await client.listWorkspaces(base, {});
  const pages: number = workspaces[0]!.pages;
  const { results } = await client.search(base, { workspace, q: 'recovery', limit: 2 });
  const first: string = results[0]!.url;
  const { topics } = await client.topics(base, { workspace });
  const rows = await client.sql(base, { workspace }, { query: 'select count(*) from page' });
  const failed = await client.page(base, { workspace, url: 'https://nowhere.example/' }).catch((error: Error) => error.message);
  const lines = await client.exportPages(base, { workspace, format: 'jsonl' });
  // @ts-expect-error a wrong type is a mistake of the compiler's
  await client.search(base, { workspace, q: 'recovery', limit: 'two' }).catch(() => {});
  return [pages, first, topics.length, rows.rows[0]![0], failed, lines.trim().split('\\n').length];
}
`;

let served: Served;
let dir: string;
beforeAll(async () => {
  served = await serveMade();
  dir = mkdtempSync(join(tmpdir(), 'bingo-generated-'));
});
afterAll(async () => {
  await served.close();
  rmSync(dir, { recursive: true, force: true });
});

// The usual generators need TypeScript 5 at run time; this one is enough to show that the document is complete.
test('a client that is generated from the document compiles, and works', async () => {
  const { json } = await served.get('/api/v1/openapi.json');
  writeFileSync(join(dir, 'client.ts'), clientOf(json));
  writeFileSync(join(dir, 'use.ts'), USE);
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}');
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2024',
    '--module',
    'nodenext',
  ];
  const more = ['--allowImportingTsExtensions', '--lib', 'es2024,dom,dom.iterable', '--types', ''];
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  try {
    execFileSync(compiler, [...flags, ...more, join(dir, 'use.ts')], { encoding: 'utf8' });
  } catch (error) {
    expect((error as { stdout: string }).stdout).toBe('');
  }
  const { use } = (await import(pathToFileURL(join(dir, 'use.ts')).href)) as {
    readonly use: (base: string, workspace: string) => Promise<readonly unknown[]>;
  };
  const [pages, first, topics, rows, failed, lines] = await use(served.origin, served.name);
  expect([pages, topics, rows, failed, lines]).toEqual([4, 2, 4, 'NOT_FOUND', 4]);
  expect(first).toMatch(/^https:\/\//);
});
