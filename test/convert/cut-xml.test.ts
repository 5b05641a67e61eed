import { expect, test } from 'vitest';
import { cutXml } from '../../src/convert/cut-xml.ts';

const PARAGRAPH = `<w:p a=">"><w:r><w:t>gear</w:t></w:r><w:br/></w:p>`;

test('a long part is cut behind its first characters of text, and stays well-formed', () => {
  const cut = cutXml(`<w:document><w:body>${PARAGRAPH.repeat(20_000)}</w:body></w:document>`, 10);
  expect(cut).toBe(
    `<w:document><w:body>${PARAGRAPH.repeat(2)}<w:p a=">"><w:r><w:t>gear</w:t></w:r></w:p></w:body></w:document>`,
  );
});

test('a part within the limit stays as it is', () => {
  const xml = `<w:document><w:body>${PARAGRAPH.repeat(20_000)}</w:body></w:document>`;
  expect(cutXml(xml, 80_000)).toBe(xml);
  expect(cutXml(PARAGRAPH, 1)).toBe(PARAGRAPH);
});
