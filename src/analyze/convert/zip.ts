import { Open, type ZipFile } from 'unzipper';
import type { Archive } from './archive.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';

const ENCRYPTED = 1;

/** Reads the directory alone. Sizes stated there are not believed: bytes are counted as they come. */
export async function openZip(bytes: Uint8Array, limits: ConvertLimits): Promise<Archive> {
  const directory = await Open.buffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).catch(
    (cause: unknown) => {
      throw new ConversionError('damaged', `no readable directory in the archive (${String(cause)})`);
    },
  );
  const files = new Map<string, ZipFile>();
  for (const file of directory.files) if (file.type === 'File') files.set(file.path, file);
  let left = limits.maxInflatedBytes;
  return {
    names: [...files.keys()],
    read: async (name) => {
      const file = files.get(name);
      if (file === undefined) return undefined;
      if ((file.flags & ENCRYPTED) !== 0) throw new ConversionError('protected', 'the archive is encrypted');
      const content = await collect(file.stream(), left);
      left -= content.length;
      return content;
    },
  };
}

/** Collects a stream. @throws ConversionError `too-large` as soon as it holds more than `maxBytes` */
export async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new ConversionError('too-large', `unfolds to more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
