export { ARCHIVE_INDEX, type IndexOptions } from './archive-index.ts';
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
export { recordedFailure, recordedOutcome } from './recorded-outcome.ts';
export { isPoorPage, isPoorStatus, type RecordedPage, recordedPage } from './recorded-page.ts';
export { plainFields, type RawFields, type Recorder, type Recording, type RenderedRecording } from './recording.ts';
export { type WaczPage, type WrittenWacz, writeCdxj, writeWacz } from './wacz.ts';
export { isWaczName, prepareWaczRecording, waczWorkFile } from './wacz-recording.ts';
export { dictionaryOf, type ReadWarcOptions, readWarc, recordAt } from './warc.ts';
export { archiveName, type CapturedPage, pageOfRecord, WarcArchive } from './warc-archive.ts';
export { WarcError } from './warc-error.ts';
export { MAX_RECORD_BYTES, type WarcRecord } from './warc-record.ts';
export { isWarcName, WarcRecorder } from './warc-recorder.ts';
export { type SelectedRecord, WarcSelection } from './warc-selection.ts';
