import { expect, test } from 'vitest';
import { cutXml } from '../../src/convert/cut-xml.ts';

const PARAGRAPH = `<w:p a=">"><w:r><w:t>gear</w:t></w:r><w:br/></w:p>`;

test('cuts a long part after its first characters of text, and keeps it well-formed', () => {
  const cut = cutXml(`<w:document><w:body>${PARAGRAPH.repeat(20_000)}</w:body></w:document>`, 10);
  expect(cut).toBe(
    `<w:document><w:body>${PARAGRAPH.repeat(2)}<w:p a=">"><w:r><w:t>gear</w:t></w:r></w:p></w:body></w:document>`,
  );
});

test('keeps a part within the limit unchanged', () => {
  const xml = `<w:document><w:body>${PARAGRAPH.repeat(20_000)}</w:body></w:document>`;
  expect(cutXml(xml, 80_000)).toBe(xml);
  expect(cutXml(PARAGRAPH, 1)).toBe(PARAGRAPH);
});
