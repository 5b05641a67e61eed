import { deserialize, serialize } from 'node:v8';
import { BingoError } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import type { NodeBayes, TopicModels } from './models.ts';

/** `BNGM` and the version of the layout, followed by the serialized models. */
const MAGIC = Uint8Array.of(0x42, 0x4e, 0x47, 0x4d, 2);
/** Version whose naive Bayes has a weight for each feature and class, most of them 0. */
const OLDER = 1;

/** Encodes models as bytes for the store and for other threads. Equal models give equal bytes. */
export function encodeModels(models: TopicModels): Uint8Array {
  const body = serialize(models);
  const bytes = new Uint8Array(MAGIC.length + 4 + body.length);
  bytes.set(MAGIC);
  new DataView(bytes.buffer).setUint32(MAGIC.length, checksum(body));
  bytes.set(body, MAGIC.length + 4);
  freeBytes(body);
  return bytes;
}

/**
 * Decodes the output of {@link encodeModels}.
 * @throws BingoError `MODEL_DAMAGED` if the bytes are cut, changed or of an unknown version
 */
export function decodeModels(bytes: Uint8Array): TopicModels {
  const body = bytes.subarray(MAGIC.length + 4);
  const version = bytes[MAGIC.length - 1];
  const isModel = bytes.length >= MAGIC.length + 4 && MAGIC.subarray(0, -1).every((byte, i) => bytes[i] === byte);
  if (!isModel || (version !== MAGIC.at(-1) && version !== OLDER))
    throw damaged(`Expected a model of version ${MAGIC.at(-1)}, got ${describeStart(bytes)}.`);
  const expected = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length);
  if (checksum(body) !== expected) throw damaged('The model was changed or cut: its checksum is wrong.');
  try {
    const models = deserialize(body) as TopicModels;
    return version === OLDER ? ofThisVersion(models) : models;
  } catch (cause) {
    if (cause instanceof BingoError) throw cause;
    throw damaged('The model cannot be read by this version of Node.', cause);
  }
}

/** Upgrades a model of version {@link OLDER}, which has no list of holders. The checksum does not cover the version. */
function ofThisVersion(models: TopicModels): TopicModels {
  if (models.bayes.some((bayes) => 'holders' in bayes)) throw damaged('The version of the model was changed.');
  return { ...models, bayes: models.bayes.map(withHolders) };
}

/** Upgrades naive Bayes of version {@link OLDER}, whose `excess` has a row per feature and a column per class. */
function withHolders({ excess, calibrations, ...bayes }: NodeBayes): NodeBayes {
  const classes = bayes.logUnseen.length;
  const starts = new Int32Array(bayes.features.length + 1);
  const holders: number[] = [];
  const kept: number[] = [];
  for (let at = 0; at < excess.length; at++) {
    if (excess[at] !== 0) {
      holders.push(at % classes);
      kept.push(excess[at]!);
    }
    starts[Math.floor(at / classes) + 1] = kept.length;
  }
  return { ...bayes, starts, holders: Int32Array.from(holders), excess: Float32Array.from(kept), calibrations };
}

function damaged(message: string, cause?: unknown): BingoError {
  const hint = 'Train again: the training pages are in the store.';
  return new BingoError({ code: 'MODEL_DAMAGED', message, hint, cause });
}

function describeStart(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'no bytes' : `bytes that begin with ${[...bytes.subarray(0, MAGIC.length)].join(' ')}`;
}

/** 32-bit FNV-1a over 32-bit words and the remaining bytes. It detects damage, not malice. */
function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let h = 0x811c9dc5 ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) h = Math.imul(h ^ view.getInt32(at), 0x01000193) ^ (h >>> 15);
  for (; at < bytes.length; at++) h = Math.imul(h ^ view.getUint8(at), 0x01000193) ^ (h >>> 15);
  return h >>> 0;
}
