export { type AnalyzeOptions, analyze, analyzeText, type PageOptions, type RawPage } from './analyze.ts';
export { type Converted, Converter } from './convert/converter.ts';
export { isConvertible } from './convert/format.ts';
export { anchorFeatures, neighbourFeatures, type PointingAnchor, strongestTerms } from './features.ts';
export { stem } from './stem.ts';
export { STEMMED_LANGUAGES, stemmerFile, stemsIn } from './stemmers.ts';
export { isStopWord } from './stop-words.ts';
export { stemHashesOf, stemsOf, tokenize } from './tokenize.ts';
export { isUnusable, UNUSABLE_REASONS, type Unusable } from './unusable.ts';
