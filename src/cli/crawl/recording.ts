import { type Config, UsageError } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import { isWarcName, WarcRecorder } from '../../warc/index.ts';
import { productVersion, quoted, sanitizeForTerminal } from '../../workbench/index.ts';
import type { Io } from '../command.ts';

/** @throws UsageError if `--warc` does not name a WARC file */
export function checkRecordingName(path: string | undefined): void {
  if (path === undefined || isWarcName(path)) return;
  throw new UsageError(
    `--warc takes a file name that ends in .warc or .warc.gz, got "${path}".`,
    'With .gz every record is compressed separately, as archives expect.',
  );
}

/** Opens or continues the recording that `--warc` names; reports if a truncated record was removed. */
export async function openRecording(path: string, { network }: Config, io: Io): Promise<WarcRecorder> {
  const recorder = await WarcRecorder.open(path, {
    software: `bingo-crawler/${productVersion()}`,
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

/** Summarises a recording at the end of a crawl. */
export function recordingText({ path, counts }: WarcRecorder): string {
  const { exchanges, revisits, bytes } = counts;
  const size = bytes < 1e6 ? `${count(Math.ceil(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const repeated = revisits === 0 ? '' : `, ${count(revisits)} of them repeats`;
  return (
    `Recorded ${counted(exchanges, 'answer')}${repeated}; ${sanitizeForTerminal(path)} has ${size}. Replay it:\n` +
    `  bingo lab serve ${quoted(path)} --port 8080\n`
  );
}
