export { type CdxjEntry, surtOf, timeOf } from './cdxj.ts';
export {
  asReceived,
  asSent,
  type HeaderFields,
  headerValue,
  headerValues,
  parseHead,
  parseHttpResponse,
} from './http-message.ts';
export { plainFields, type RawFields, type Recorder, type Recording } from './recording.ts';
export { type WaczPage, type WrittenWacz, writeCdxj, writeWacz } from './wacz.ts';
export { isWaczName, prepareWaczRecording, waczWorkFile } from './wacz-recording.ts';
export { dictionaryOf, type ReadWarcOptions, readWarc, recordAt } from './warc.ts';
export { WarcError } from './warc-error.ts';
export { MAX_RECORD_BYTES, type WarcRecord } from './warc-record.ts';
export { isWarcName, WarcRecorder } from './warc-recorder.ts';
