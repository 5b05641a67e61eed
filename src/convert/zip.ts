import { isUtf8 } from 'node:buffer';
import { Open, type ZipFile } from 'unzipper';
import { decodeBody, dosNames } from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { ConversionError, type ConvertLimits, PackingError } from './outcome.ts';

const ENCRYPTED = 1;
/** How members are packed that are read (APPNOTE 4.4.5): not at all, and by Deflate. */
const READABLE_PACKINGS: readonly number[] = [0, 8];
const PACKING_NAMES: ReadonlyMap<number, string> = new Map([
  [9, 'Deflate64'],
  [12, 'bzip2'],
  [14, 'LZMA'],
  [93, 'Zstandard'],
  [95, 'XZ'],
  [98, 'PPMd'],
]);
/** Signature of the end of central directory record, which holds the directory's offset (APPNOTE 4.3.16). */
const END_RECORD = 'PK\x05\x06';
/** Before it may stand a record of zip64 that is looked at as well. */
const BEFORE_END_RECORD = 40;

/** Reads the directory alone. Sizes stated there are not believed: bytes are counted as they come. */
export async function openZip(bytes: Uint8Array, limits: ConvertLimits): Promise<Archive> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = await Open.buffer(data, { tailSize: tailOf(data) }).catch(() => {
    throw new ConversionError('damaged', 'no directory at the end of the archive: it is cut short, or damaged');
  });
  // Some programs of Windows write names with backslashes (APPNOTE 4.4.17 forbids it), those of folders too.
  const listed = directory.files.filter(({ type, path }) => type === 'File' && !path.endsWith('\\'));
  const names = namesOf(listed).map((name) => name.replaceAll('\\', '/'));
  const files = new Map(listed.map((file, i) => [names[i]!, file]));
  let unfolded = 0;
  return {
    names: [...files.keys()],
    read: async (name) => {
      const file = files.get(name);
      if (file === undefined) return undefined;
      if ((file.flags & ENCRYPTED) !== 0) throw new ConversionError('protected', 'the archive is encrypted');
      if (!READABLE_PACKINGS.includes(file.compressionMethod))
        throw new PackingError(PACKING_NAMES.get(file.compressionMethod) ?? `method ${file.compressionMethod} of zip`);
      const content = await collect(file.stream(), limits.maxInflatedBytes, unfolded);
      unfolded += content.length;
      return content;
    },
  };
}

/** Bytes from the end in which the directory's end record stands: a comment may follow it, or what a transfer added. */
function tailOf(data: Buffer): number {
  const at = data.lastIndexOf(END_RECORD, undefined, 'latin1');
  return Math.min(data.length, data.length - Math.max(0, at) + BEFORE_END_RECORD);
}

/** Names of the files. Old programs write them in the encoding of their machine, and do not say which: all together tell it. */
function namesOf(files: readonly ZipFile[]): readonly string[] {
  const old = files.map(({ pathBuffer }) => pathBuffer).filter((name) => !isUtf8(name));
  if (old.length === 0) return files.map(({ path }) => path);
  const bytes = old.map((name) => name.toString('latin1'));
  const names = dosNames(bytes) ?? decodeBody(Buffer.from(bytes.join('\n'), 'latin1'), '', false).split('\n');
  let next = 0;
  return files.map(({ path, pathBuffer }) => (isUtf8(pathBuffer) ? path : (names[next++] ?? path)));
}

/** Collects a stream. @throws ConversionError `too-large` as soon as it holds, with those `before` it, more than `maxBytes` */
export async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number, before = 0): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (before + size > maxBytes) throw new ConversionError('too-large', `unfolds to more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
