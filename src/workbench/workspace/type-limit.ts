import { parseTypeLimit } from '../../core/index.ts';
import { formatSize, parseSize } from '../words/units.ts';
import type { Rule } from './rules.ts';

/** Rule for the size limit of a media type, `application/pdf=20MiB`. The value has bytes: `application/pdf=20971520`. */
export function typeLimit(): Rule<string> {
  return {
    expects: 'a media type and a size, such as application/pdf=20MiB or text/*=1MiB',
    read: (value) => {
      const [type = '', text = ''] = typeof value === 'string' ? value.split('=') : [];
      const bytes = parseSize(text.trim());
      const limit = bytes === undefined ? undefined : parseTypeLimit(`${type.trim()}=${bytes}`);
      if (limit === undefined || limit.bytes < 1) return { ok: false };
      return { ok: true, value: `${limit.type}=${limit.bytes}` };
    },
    write: (text) => {
      const limit = parseTypeLimit(text);
      const size = formatSize(limit?.bytes ?? 0).replaceAll(' ', '');
      // Only an exact size is written with a unit.
      return JSON.stringify(limit !== undefined && parseSize(size) === limit.bytes ? `${limit.type}=${size}` : text);
    },
  };
}
