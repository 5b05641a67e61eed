import { type Config, UsageError } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import {
  isWaczName,
  isWarcName,
  prepareWaczRecording,
  WarcRecorder,
  waczWorkFile,
  writeCdxj,
} from '../../warc/index.ts';
import {
  type CrawlPlace,
  packRecording,
  productVersion,
  quoted,
  SOFTWARE,
  sanitizeForTerminal,
} from '../../workbench/index.ts';
import type { Args, Io } from '../command.ts';

/** The files that record a crawl. */
export interface RecordingFiles {
  /** The WARC file into which the crawl writes. */
  readonly warc: string;
  /** The WACZ file that is packed from it at the end. */
  readonly wacz?: string;
  /** The index that is written at the end. */
  readonly cdxj?: string;
}

/**
 * Returns the files that `--warc`, `--wacz` and `--cdxj` name; `undefined` without a recording.
 * @throws UsageError for other endings, or if they conflict
 */
export function recordingFiles(args: Args): RecordingFiles | undefined {
  const [warc, wacz, cdxj] = ['warc', 'wacz', 'cdxj'].map((flag) => args.value(flag));
  if (warc !== undefined && wacz !== undefined)
    throw new UsageError('--warc and --wacz cannot be combined.', 'A WACZ file contains the WARC file: use --wacz.');
  if (warc !== undefined && !isWarcName(warc))
    throw new UsageError(
      `--warc takes a file name that ends in .warc or .warc.gz, got "${warc}".`,
      'With .gz every record is compressed separately, as archives expect.',
    );
  if (wacz !== undefined && !isWaczName(wacz))
    throw new UsageError(`--wacz takes a file name that ends in .wacz, got "${wacz}".`);
  if (cdxj !== undefined && !/\.cdxj?$/i.test(cdxj))
    throw new UsageError(`--cdxj takes a file name that ends in .cdxj or .cdx, got "${cdxj}".`);
  if (warc === undefined && wacz === undefined) {
    if (cdxj === undefined) return undefined;
    throw new UsageError('--cdxj is the index of a recording.', 'Add --warc FILE.');
  }
  if (wacz !== undefined && cdxj !== undefined)
    throw new UsageError('--cdxj is for --warc: a WACZ file contains its index.', 'Leave out --cdxj.');
  return {
    warc: warc ?? waczWorkFile(wacz ?? ''),
    ...(wacz !== undefined && { wacz }),
    ...(cdxj !== undefined && { cdxj }),
  };
}

/** Opens or continues a recording; reports if a truncated record was removed. */
export async function openRecording(
  { warc: path, wacz }: RecordingFiles,
  { network }: Config,
  io: Io,
): Promise<WarcRecorder> {
  if (wacz !== undefined) await prepareWaczRecording(wacz, SOFTWARE);
  const recorder = await WarcRecorder.open(path, {
    software: `${SOFTWARE}/${productVersion()}`,
    userAgent: network.userAgent,
    contact: network.contact,
    obeysRobots: network.robots,
  });
  if (recorder.repaired > 0)
    io.err(
      `${sanitizeForTerminal(path)}: the last record was cut off; ${counted(recorder.repaired, 'byte')} removed.\n`,
    );
  return recorder;
}

/** Packs or indexes a finished recording, and summarises it. */
export async function finishRecording(
  { warc, wacz, cdxj }: RecordingFiles,
  { counts }: WarcRecorder,
  { store, workspace }: CrawlPlace,
): Promise<string> {
  const { exchanges, revisits, rendered, bytes } = counts;
  const repeated = revisits === 0 ? '' : `, ${count(revisits)} of them repeats`;
  const shown = rendered === 0 ? '' : `, and ${counted(rendered, 'rendered page')}`;
  const answers = `Recorded ${counted(exchanges, 'answer')}${repeated}${shown}`;
  if (wacz !== undefined) {
    const packed = await packRecording(store, workspace, wacz);
    return (
      `${answers}; ${sanitizeForTerminal(wacz)} has ${counted(packed.pages, 'page')} and ${sizeText(packed.bytes)}. ` +
      `Open it with ReplayWeb.page, or crawl it:\n  bingo init DIR --archive ${quoted(wacz)} …\n`
    );
  }
  const indexed =
    cdxj === undefined
      ? ''
      : `Indexed ${counted(await writeCdxj(cdxj, [{ path: warc }]), 'capture')} in ${sanitizeForTerminal(cdxj)}.\n`;
  return (
    `${answers}; ${sanitizeForTerminal(warc)} has ${sizeText(bytes)}. Replay it:\n` +
    `  bingo lab serve ${quoted(warc)} --port 8080\n${indexed}`
  );
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${count(Math.ceil(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
