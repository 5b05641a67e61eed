import { createGunzip } from 'node:zlib';
import { isGzip, readGzipMember } from '../kit/index.ts';
import type { Archive } from './archive.ts';
import { containerOf } from './format.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';
import { readTar } from './tar.ts';
import { collect, openZip } from './zip.ts';

/**
 * Opens a zip or tar archive, or one that is packed by gzip.
 * @throws ConversionError `damaged`, or `too-large` for a packed one
 */
export async function openArchive(bytes: Uint8Array, limits: ConvertLimits): Promise<Archive> {
  const isPacked = containerOf('', bytes) === 'gzip';
  const content = isPacked ? await unfoldGzip(bytes, limits) : bytes;
  if (containerOf('', content) !== 'tar') return openZip(content, limits);
  const files = readTar(content);
  return { names: [...files.keys()], read: async (name) => files.get(name) };
}

/** What a gzip file holds; what stands behind it and is no gzip is passed over. @throws ConversionError `damaged`, `too-large` */
export function unfoldGzip(bytes: Uint8Array, limits: ConvertLimits): Promise<Buffer> {
  const gunzip = createGunzip();
  gunzip.end(bytes);
  return collect(gunzip, limits.maxInflatedBytes).catch((error: unknown) => {
    if (error instanceof ConversionError) throw error;
    const members = wholeMembers(bytes);
    if (members !== undefined) return members;
    const message = error instanceof Error ? error.message : String(error);
    throw new ConversionError('damaged', `not readable gzip: ${message}`);
  });
}

/** Returns the content of all gzip members up to the first other byte; `undefined` if a member is damaged or truncated. */
function wholeMembers(bytes: Uint8Array): Buffer | undefined {
  const members: Uint8Array[] = [];
  for (let at = 0; isGzip(bytes, at); ) {
    const member = readGzipMember(bytes.subarray(at));
    if (member.kind !== 'member') return undefined;
    members.push(member.data);
    at += member.length;
  }
  return Buffer.concat(members);
}
