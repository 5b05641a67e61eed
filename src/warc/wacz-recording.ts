import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { BingoError } from '../core/index.ts';
import { jsonObject } from './cdxj.ts';
import { readStored, type ZipPlace, zipPlaces } from './zip-directory.ts';

/** Returns the WARC file into which a crawl records until it is packed as a WACZ file. */
export function waczWorkFile(path: string): string {
  return `${path}.warc.gz`;
}

/** Returns true if a WACZ file may have this name. */
export function isWaczName(path: string): boolean {
  return /\.wacz$/i.test(path);
}

const MAX_DESCRIPTION_BYTES = 16 * 1024 * 1024;

/**
 * Prepares the work file of a recording. An interrupted crawl has left one; otherwise the records of an existing WACZ
 * file are copied into it.
 * @param software beginning of the name of the program that may have written the file
 * @throws UnreadableFileError `WACZ_DAMAGED`; BingoError `WACZ_FOREIGN` if another program wrote the file
 */
export async function prepareWaczRecording(path: string, software: string): Promise<void> {
  const work = waczWorkFile(path);
  if (existsSync(work) || !existsSync(path)) return;
  const places = await zipPlaces(path);
  const records = places.filter(({ name }) => name.startsWith('archive/'));
  if (!isWrittenBy(path, places, software) || records.some(({ isCompressed }) => isCompressed))
    throw new BingoError({
      code: 'WACZ_FOREIGN',
      message: `${path} exists, and another program wrote it. It was not changed.`,
      hint: 'Name another file for the recording.',
    });
  const making = `${work}.making-${process.pid}`;
  try {
    for (const [i, { offset, length }] of records.entries())
      await pipeline(
        createReadStream(path, { start: offset, end: offset + length - 1 }),
        createWriteStream(making, { flags: i === 0 ? 'w' : 'a' }),
      );
    renameSync(making, work);
  } finally {
    rmSync(making, { force: true });
  }
}

function isWrittenBy(path: string, places: readonly ZipPlace[], software: string): boolean {
  const place = places.find(({ name, isCompressed }) => name === 'datapackage.json' && !isCompressed);
  const text = place && readStored(path, place, MAX_DESCRIPTION_BYTES)?.toString('utf8');
  return String(jsonObject(text ?? '')?.software ?? '').startsWith(software);
}
