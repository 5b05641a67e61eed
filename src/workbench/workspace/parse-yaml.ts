import { type DocumentOptions, type ParseOptions, parseDocument, type SchemaOptions, YAMLParseError } from 'yaml';

/**
 * Parses untrusted YAML. Text that is nested too deeply for the parser's stack becomes an error of the document, like
 * any other mistake.
 */
export function parseYaml(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions = {},
): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const nothing = parseDocument('', options);
    nothing.errors.push(new YAMLParseError([0, 0], 'IMPOSSIBLE', 'it is nested too deeply'));
    return nothing;
  }
}
