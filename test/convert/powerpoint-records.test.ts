import { describe, expect, it } from 'vitest';
import { powerPointDocument } from '../../src/convert/powerpoint-records.ts';

const NO_USER = Buffer.alloc(0);

/** Builds a record of the format: its head, then its content. */
function record(type: number, content: Buffer, isContainer = false): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(isContainer ? 0xf : 0, 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

function numbers(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function target(id: number, url: string): Buffer {
  const address = record(0x0fba, Buffer.from(url, 'utf16le'));
  return record(0x0fd7, Buffer.concat([record(0x0fd3, numbers(id)), address]), true);
}

/** Builds the link record of the preceding text: characters `from` to `to` lead to link `id`. */
function click(id: number, from: number, to: number): Buffer {
  return Buffer.concat([record(0x0ff2, record(0x0ff3, numbers(0, id)), true), record(0x0fdf, numbers(from, to))]);
}

function bodyOf(...records: readonly Buffer[]): string {
  return powerPointDocument(Buffer.concat(records), NO_USER).body;
}

describe('links of a presentation from before 2007', () => {
  const TEXT = record(0x0fa8, Buffer.from('On hubs\rsee <here> and\vthere'));

  it('are in the text, at their words', () => {
    const slide = record(0x03ee, Buffer.concat([TEXT, click(7, 12, 18), click(8, 23, 99)]), true);
    expect(bodyOf(slide, target(7, 'http://b.test/?a&b'), target(8, 'http://c.test/'))).toBe(
      '<p>On hubs</p>\n<p>see <a href="http://b.test/?a&amp;b">&lt;here&gt;</a> and\n<a href="http://c.test/">there</a></p>',
    );
  });

  it('across several lines are one link per line', () => {
    expect(bodyOf(TEXT, click(7, 3, 11), target(7, 'http://b.test/'))).toBe(
      '<p>On <a href="http://b.test/">hubs</a></p>\n<p><a href="http://b.test/">see</a> &lt;here&gt; and\nthere</p>',
    );
  });

  it('of shapes follow the text, and links without a target are omitted', () => {
    const nowhere = [click(9, 0, 2), click(8, 90, 95), record(0x0fdf, numbers(1))];
    expect(bodyOf(TEXT, ...nowhere, target(8, 'http://c.test/'), target(6, 'file:///x'))).toBe(
      '<p>On hubs</p>\n<p>see &lt;here&gt; and\nthere</p><p><a href="http://c.test/"></a></p>',
    );
  });
});
