import zlib from 'node:zlib';
import { gzipHeaderBytes, isGzip } from '../../kit/index.ts';

/** A decoded body. */
export type Decoded =
  | {
      readonly kind: 'decoded';
      readonly body: Uint8Array;
      /** If false, the data is incomplete, and this is the decodable part, as in browsers. */
      readonly isWhole: boolean;
    }
  /** The decoded body exceeds the limit: a decompression bomb, or just too large. */
  | { readonly kind: 'too-large' }
  | { readonly kind: 'damaged'; readonly detail: string };

interface Options {
  readonly maxOutputLength: number;
  readonly finishFlush?: number;
}

interface Coding {
  /** Checks by the first bytes whether the body uses this coding; servers sometimes claim it for plain bodies. */
  readonly fits: (body: Buffer) => boolean;
  readonly decodeSync: (body: Buffer, options: Options) => Buffer;
  readonly decode: (body: Buffer, options: Options, done: (error: Error | null, decoded: Buffer) => void) => void;
  /** Flush mode that returns the decodable part of a truncated body. */
  readonly finishFlush: number;
}

const hasZstd = typeof zlib.zstdDecompressSync === 'function'; // Node 22.15 and later

/** Accepted codings, for the request header. */
export const ACCEPT_ENCODING: string = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

/** Larger bodies are decoded on another thread, so that the event loop is not blocked. */
const SYNC_BYTES = 128 * 1024;
/** Maximum zstd frames per body; each costs a tenth of a millisecond. Honest servers stay far below. */
const MAX_FRAMES = 1_000;
/** Maximum codings per body; honest servers stay below. */
const MAX_CODINGS = 3;

const GZIP: Coding = {
  fits: (body) => isGzip(body),
  decodeSync: (body, options) => zlib.gunzipSync(body, options),
  decode: (body, options, done) => zlib.gunzip(body, options, done),
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const ZLIB: Coding = {
  fits: (body) => ((body[0] ?? 0) & 15) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0,
  decodeSync: (body, options) => zlib.inflateSync(body, options),
  decode: (body, options, done) => zlib.inflate(body, options, done),
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const RAW_DEFLATE: Coding = {
  fits: () => true,
  decodeSync: (body, options) => zlib.inflateRawSync(body, options),
  decode: (body, options, done) => zlib.inflateRaw(body, options, done),
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const BROTLI: Coding = {
  fits: () => true,
  decodeSync: (body, options) => zlib.brotliDecompressSync(body, options),
  decode: (body, options, done) => zlib.brotliDecompress(body, options, done),
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};
const ZSTD: Coding = {
  fits: (body) =>
    body.length >= 4 && (body.readUInt32LE(0) === 0xfd2fb528 || (body.readUInt32LE(0) & ~15) === 0x184d2a50),
  decodeSync: (body, options) => zlib.zstdDecompressSync(body, options),
  decode: (body, options, done) => zlib.zstdDecompress(body, options, done),
  finishFlush: hasZstd ? zlib.constants.ZSTD_e_flush : 0,
};

/**
 * Undoes the codings of a `Content-Encoding` header, the last one first. Produces at most `maxBytes`. Ignores unknown
 * codings. If a body starts with the mark of another coding, that coding is used. The result owns its memory, so that
 * it can be transferred to another thread.
 */
export async function decodeBody(body: Buffer, header: string, maxBytes: number): Promise<Decoded> {
  const work = decoding(body, header, maxBytes);
  let step = work.next();
  while (step.done !== true) {
    const job = step.value;
    const result = job.isLong ? await inBackground(job) : atOnce(job);
    step = 'error' in result ? work.throw(result.error) : work.next(result.decoded);
  }
  return step.value;
}

/** Synchronous variant, for example for readers of recordings; runs on this thread. */
export function decodeBodySync(body: Buffer, header: string, maxBytes: number): Decoded {
  const work = decoding(body, header, maxBytes);
  let step = work.next();
  while (step.done !== true) {
    const result = atOnce(step.value);
    step = 'error' in result ? work.throw(result.error) : work.next(result.decoded);
  }
  return step.value;
}

/** One call of a decoder. */
interface Job {
  readonly coding: Coding;
  readonly body: Buffer;
  readonly options: Options;
  /** If true, another thread should do it. */
  readonly isLong: boolean;
}

type Result = { readonly decoded: Buffer } | { readonly error: unknown };

/** Yields decoder calls and receives their results, so that the caller can run them synchronously or not. */
type Work<T> = Generator<Job, T, Buffer>;

function atOnce({ coding, body, options }: Job): Result {
  try {
    return { decoded: coding.decodeSync(body, options) };
  } catch (error) {
    return { error };
  }
}

function inBackground({ coding, body, options }: Job): Promise<Result> {
  return new Promise((resolve) => {
    coding.decode(body, options, (error, decoded) => resolve(error ? { error } : { decoded }));
  });
}

function* decoding(body: Buffer, header: string, maxBytes: number): Work<Decoded> {
  const names = header === '' ? [] : codingsIn(header);
  if (names.length > MAX_CODINGS) return { kind: 'damaged', detail: `${names.length} content codings` };
  let decoded = body;
  let isWhole = true;
  for (const name of names) {
    const coding = codingOf(name, decoded);
    if (coding === undefined || decoded.length === 0) continue;
    try {
      const unpacked = yield* undone(coding, decoded, { maxOutputLength: maxBytes });
      decoded = unpacked.body;
      isWhole &&= unpacked.isWhole;
    } catch (error) {
      if (isPlainPage(decoded)) continue;
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ERR_BUFFER_TOO_LARGE'
        ? { kind: 'too-large' }
        : { kind: 'damaged', detail: `${name}: ${message}` };
    }
  }
  return decoded.length > maxBytes ? { kind: 'too-large' } : { kind: 'decoded', body: owned(decoded), isWhole };
}

/** HTML never looks like a coding without a mark, so the server wrongly claims one. */
function isPlainPage(body: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<[!?a-z]/i.test(body.toString('latin1', 0, 100));
}

interface Undone {
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** Decodes a complete body; a truncated body takes a second pass. */
function* undone(coding: Coding, body: Buffer, options: Options): Work<Undone> {
  try {
    return { body: yield* unpacked(coding, body, options), isWhole: true };
  } catch (error) {
    if (codeOf(error) !== 'Z_BUF_ERROR') throw error;
    const part = yield* unpacked(coding, body, { ...options, finishFlush: coding.finishFlush });
    return { body: part, isWhole: yield* hasAllData(coding, { body, part, options }) };
  }
}

/** Ignores what follows the data of a gzip body (a wrong checksum, a cache's comment), as browsers do. */
function* unpacked(coding: Coding, body: Buffer, options: Options): Work<Buffer> {
  try {
    return coding === ZSTD ? yield* joinedFrames(body, options) : yield* apply(coding, body, options);
  } catch (error) {
    const start = codeOf(error) === 'Z_DATA_ERROR' && coding === GZIP ? gzipHeaderBytes(body) : undefined;
    if (start === undefined) throw error;
    return yield* apply(RAW_DEFLATE, body.subarray(start), options);
  }
}

interface Cut {
  readonly body: Buffer;
  /** The decodable part. */
  readonly part: Buffer;
  readonly options: Options;
}

/** Returns true if only the trailer or the end mark is missing: some programs do not write it after the last flush. */
function* hasAllData(coding: Coding, { body, part, options }: Cut): Work<boolean> {
  const start = coding === GZIP ? gzipHeaderBytes(body) : coding === ZLIB ? ZLIB_HEADER_BYTES : undefined;
  const isDeflate = start !== undefined || coding === RAW_DEFLATE;
  if (isDeflate && body.subarray(-FLUSHED.length).equals(FLUSHED)) return true;
  if (start === undefined) return false;
  try {
    return (yield* apply(RAW_DEFLATE, body.subarray(start), options)).length === part.length;
  } catch {
    return false;
  }
}

const ZLIB_HEADER_BYTES = 2;
/** An empty block, up to a whole byte: makes everything before it decodable (RFC 1951 §3.2.4). */
const FLUSHED = Buffer.from([0, 0, 0xff, 0xff]);

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Decodes several zstd frames in a row (RFC 8878 §3); Node.js decodes only the first. */
function* joinedFrames(body: Buffer, options: Options): Work<Buffer> {
  const frames: Buffer[] = [];
  let left = body;
  let room = options.maxOutputLength;
  while (ZSTD.fits(left)) {
    if (frames.length === MAX_FRAMES) throw new RangeError(`more than ${MAX_FRAMES} frames`);
    const limits = { ...options, maxOutputLength: Math.max(1, room), info: true };
    const isLong = frames.length > 0 || left.length > SYNC_BYTES;
    // With `info`, missing in the types, it also returns how much of the body was read.
    const { buffer, engine } = (yield* apply(ZSTD, left, limits, isLong)) as unknown as Unpacked;
    frames.push(buffer);
    room -= buffer.length;
    left = left.subarray(engine.bytesWritten);
  }
  return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
}

interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function* apply(coding: Coding, body: Buffer, options: Options, isLong = body.length > SYNC_BYTES): Work<Buffer> {
  return yield { coding, body, options, isLong };
}

const NAMES: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br', ...(hasZstd ? ['zstd'] : [])]);

/** Returns the codings in a header, the last one first; `identity`, `none`, `utf-8` and the like are ignored. */
function codingsIn(header: string): readonly string[] {
  const names = header.split(',').map((part) => /^[\s"']*(?:x-)?(\w+)/i.exec(part)?.[1]?.toLowerCase() ?? '');
  return names.filter((name) => NAMES.has(name)).reverse();
}

/** The mark of a coding overrides its name, because no other coding starts like it. */
function codingOf(name: string, body: Buffer): Coding | undefined {
  if (GZIP.fits(body)) return GZIP;
  if (hasZstd && ZSTD.fits(body)) return ZSTD;
  if (name === 'deflate') return ZLIB.fits(body) ? ZLIB : RAW_DEFLATE;
  return name === 'br' ? BROTLI : undefined;
}

/** Small buffers are part of a shared pool, and decoders leave free space after their output. */
function owned(body: Buffer): Uint8Array {
  const alone = body.byteOffset === 0 && body.byteLength === body.buffer.byteLength;
  return alone ? new Uint8Array(body.buffer) : new Uint8Array(body);
}
