export { analyze, analyzeText, type PageOptions, type RawPage } from './analyze.ts';
export { decodeBody, windows1252Of } from './encoding/charset.ts';
export { dosNames } from './encoding/dos-names.ts';
export { utf16Text } from './encoding/utf16.ts';
export { anchorFeatures, neighbourFeatures, type PointingAnchor, strongestTerms } from './features.ts';
export { foldCase, foldLine } from './fold.ts';
export { decodeText } from './html/entities.ts';
export { bodyOf, type ConvertedDocument, outward, readFragment } from './html/fragment.ts';
export { HtmlScanner } from './html/html-scanner.ts';
export { Layout } from './html/layout.ts';
export {
  type DocumentFacts,
  escapeHtml,
  fieldAddress,
  firstLine,
  firstLineOf,
  htmlLink,
  htmlPage,
  paragraphs,
  statedTitle,
} from './html/markup.ts';
export { scanPlain } from './html/plain-scanner.ts';
export { localName } from './html/xml-reader.ts';
export type { AnalyzeOptions } from './layout-document.ts';
export { isMessage, isTar, withoutEnvelope } from './signatures.ts';
export { type BodyKind, sniffBody } from './sniff.ts';
export { isUnusable, type UNUSABLE_REASONS, type Unusable, unusable } from './unusable.ts';
export { stem } from './words/stem.ts';
export { STEMMED_LANGUAGES, shorterStems, stemBeginnings, stemmerScript, stemsIn } from './words/stemmers.ts';
export { isStopWord, STOP_WORD_LANGUAGES } from './words/stop-words.ts';
export { stemHashesOf, stemsOf, takeNewStems, tokenize } from './words/tokenize.ts';
