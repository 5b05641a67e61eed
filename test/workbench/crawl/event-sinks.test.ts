import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InputError } from '../../../src/core/index.ts';
import type { EventSink, Extension, WorkspaceCrawlEvent } from '../../../src/workbench/crawl/crawl-events.ts';
import { openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

let web: BikeWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
});

afterAll(() => web.close());

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-sinks-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function writeWorkspace(modules: Readonly<Record<string, string>> = {}): void {
  const names = Object.keys(modules);
  const line = names.length === 0 ? '' : `extensions: [${names.map((name) => `./${name}`).join(', ')}]\n`;
  writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}${line}`);
  for (const [name, code] of Object.entries(modules)) writeFileSync(join(dir, name), code);
}

/** Crawls the workspace and returns the events. */
async function crawled(extensions: readonly Extension[] = []): Promise<readonly WorkspaceCrawlEvent[]> {
  await using workspace = await openWorkspace(dir, { env: {}, extensions });
  const events: WorkspaceCrawlEvent[] = [];
  for await (const event of workspace.crawl({ budget: 12 })) events.push(event);
  return events;
}

function alarms(events: readonly WorkspaceCrawlEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'alarm' && event.code.startsWith('extension') ? [`${event.code}: ${event.message}`] : [],
  );
}

describe('an event sink', () => {
  test('receives the events that the library yields, from a module', async () => {
    writeWorkspace({
      'log.js': `import { appendFileSync } from 'node:fs';
        export default { kind: 'sink', name: 'log', event(event) {
          appendFileSync(new URL('events.jsonl', import.meta.url), JSON.stringify(event) + '\\n');
        } };`,
    });
    const events = await crawled();
    const received = readFileSync(join(dir, 'events.jsonl'), 'utf8').trim().split('\n');
    expect(received).toEqual(events.map((event) => JSON.stringify(event)));
    expect(received.at(-1)).toContain('"summary"');
    writeWorkspace();
    expect(alarms(await crawled())).toEqual([expect.stringContaining('event sink "log" (log.js) took part')]);
  });

  test('is closed after the last event, also if it is an object', async () => {
    writeWorkspace();
    const seen: string[] = [];
    const sink: EventSink = {
      kind: 'sink',
      name: 'seen',
      event: async ({ kind }) => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(kind);
      },
      close: () => void seen.push('closed'),
    };
    await crawled([sink]);
    expect(seen.slice(-2)).toEqual(['summary', 'closed']);
  });

  test('is switched off after five failures in a row, and the crawl continues', async () => {
    writeWorkspace({
      'bad.js': `export default { kind: 'sink', name: 'bad', event() { throw new TypeError('no such disk'); } };`,
    });
    const events = await crawled();
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    const reported = alarms(events);
    expect(reported.at(0)).toMatch(/^extension-failed: .*bad\.js \(bad\) failed: TypeError: no such disk\.$/);
    expect(reported.at(-1)).toMatch(/^extension-off: .*bad\.js \(bad\) failed 5 times in a row and is switched off/);
    expect(reported).toHaveLength(4);
  });
});

describe('an extension that cannot be used', () => {
  test.each([
    ['syntax.js', 'export default {', /syntax\.js: Cannot be loaded: \w*Error/],
    ['throws.js', 'throw new Error("no key");', /throws\.js: Cannot be loaded: Error: no key\./],
    ['empty.js', 'export const sink = 1;', /empty\.js: Expected an extension as the default export\./],
    ['kind.js', 'export default { kind: "sieve", name: "x" };', /kind\.js: Expected "kind" to be one of .*"sieve"/],
    ['name.js', 'export default { kind: "sink", name: "My Sink", event() {} };', /name\.js: Expected "name"/],
    ['function.js', 'export default { kind: "sink", name: "x" };', /function\.js: Expected a sink .* function "event"/],
    ['clash.js', 'export default { kind: "sink", name: "bingo", event() {} };', /belongs to an ordering of Bingo/],
  ])('stops the crawl before it begins and names its file: %s', async (name, code, message) => {
    writeWorkspace({ [name]: code });
    const failure = await crawled().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect((failure as InputError).message).toMatch(message);
    expect(existsSync(join(dir, 'store.db'))).toBe(false);
  });

  test('is reported with its line of bingo.yaml if the file is missing', async () => {
    writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}extensions:\n  - ./none.js\n`);
    await expect(openWorkspace(dir, { env: {} })).rejects.toThrow(
      /bingo\.yaml:\d+: extensions: The file \.\/none\.js does not exist\./,
    );
  });
});
