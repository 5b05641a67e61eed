import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { counted, safeJson } from '../../kit/index.ts';
import { buildPackageWeb, servePackageWeb } from '../../lab/index.ts';
import { makeFolder, PACKAGE_ROOT, quoted } from '../../workbench/index.ts';
import { type Args, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { untilInterrupt } from '../until-interrupt.ts';
import { nodeModulesFolders, planDemo, tooFewPackages } from './demo-plan.ts';

/** Serves the demo web until Ctrl-C; with `--keep`, also writes a list of counter-examples. */
export async function serveDemo(args: Args, io: Io): Promise<number> {
  if (args.has('budget')) throw new UsageError('--budget cannot be combined with --serve.');
  const port = readPort('--port', args.value('port'));
  const web = buildPackageWeb(nodeModulesFolders(), [PACKAGE_ROOT]);
  const plan = planDemo(web, web.url);
  if (plan === undefined) throw tooFewPackages(web.packages.length);
  const keep = args.value('keep');
  const server = await servePackageWeb(web, { port, later: args.has('later') });
  try {
    const others = plan.others.flatMap((other) => (other.kind === 'url' ? [other.url] : []));
    if (keep !== undefined) {
      makeFolder(keep);
      writeFileSync(join(resolve(keep), 'others.txt'), `${others.join('\n')}\n`);
    }
    const address = `http://127.0.0.1:${server.port}`;
    if (args.has('json'))
      await io.out(`${safeJson({ proxy: address, searchService: `searxng:${address}`, others })}\n`);
    else io.err(introduction(address, web.packages.length, keep));
    await untilInterrupt(io);
    return EXIT.done;
  } finally {
    await server.close();
  }
}

function introduction(address: string, packages: number, keep: string | undefined): string {
  const folder = keep === undefined ? 'playground' : keep.replace(/\/+$/, '');
  const others = keep === undefined ? '' : ` --others ${quoted(`${folder}/others.txt`)}`;
  return [
    `A small web of ${counted(packages, 'package')} is served until Ctrl-C: as a proxy at ${address},`,
    'and as a search service that knows its packages, at the same address. In another terminal:',
    '',
    `  export BINGO_NETWORK_PROXY=${address} BINGO_NETWORK_SEARCH_SERVICE=searxng:${address}`,
    `  bingo find "terminal colours" --budget 60${others} --keep ${quoted(`${folder}/colours`)}`,
    '',
    '',
  ].join('\n');
}
