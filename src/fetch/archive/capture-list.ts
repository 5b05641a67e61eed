/** A capture as an archive service lists it. Fields that the service does not name are `''`. */
export interface ListedCapture {
  /** 14 digits. */
  readonly timestamp: string;
  readonly url: string;
  readonly status: string;
  readonly digest: string;
  readonly filename: string;
  readonly offset: string;
  readonly length: string;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Parses the answer of a CDX server in both forms: one JSON object per line, or one array of arrays whose first row
 * names the fields. Returns `undefined` if it is neither. Lines that are no captures are left out.
 */
export function parseCaptures(text: string): readonly ListedCapture[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const rows = trimmed.startsWith('[') ? tableRows(trimmed) : lineRows(trimmed);
  return rows?.flatMap((row) => captureOf(row) ?? []);
}

function lineRows(text: string): readonly Row[] | undefined {
  // Plain CDX lines, as old servers send them: key, time, and the object.
  const rows = text.split('\n').map((line) => parsed(line.slice(Math.max(0, line.indexOf('{')))));
  return rows.every(isRow) ? rows : undefined;
}

function tableRows(text: string): readonly Row[] | undefined {
  const table = parsed(text);
  if (!Array.isArray(table) || !table.every(Array.isArray)) return undefined;
  const [names = [], ...rows] = table as readonly (readonly unknown[])[];
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [String(name), row[i]])));
}

function captureOf(row: Row): ListedCapture | undefined {
  const text = (...names: readonly string[]): string =>
    String(
      names.map((name) => row[name]).find((value) => typeof value === 'string' || typeof value === 'number') ?? '',
    );
  const timestamp = text('timestamp');
  const url = text('url', 'original');
  if (!/^\d{4,14}$/.test(timestamp) || url === '') return undefined;
  return {
    ...{ timestamp: timestamp.padEnd(14, '0'), url, status: text('status', 'statuscode'), digest: text('digest') },
    ...{ filename: text('filename'), offset: text('offset'), length: text('length') },
  };
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
