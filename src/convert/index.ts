export { type Converted, Converter } from './converter.ts';
export { isConvertible } from './format.ts';
