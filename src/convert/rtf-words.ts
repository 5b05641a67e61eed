/** Control words that stand for a character. */
export const RTF_CHARACTERS: Readonly<Record<string, string>> = {
  tab: ' ',
  cell: ' ',
  nestcell: ' ',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
};

/** Control words at which a paragraph ends. */
export const RTF_BREAKS: ReadonlySet<string> = new Set([
  'par',
  'line',
  'sect',
  'page',
  'row',
  'nestrow',
  'softline',
  'column',
]);

/** Groups whose text does not belong to the document, in addition to groups marked as ignorable. */
export const RTF_HIDDEN: ReadonlySet<string> = new Set([
  ...[
    'fonttbl',
    'colortbl',
    'stylesheet',
    'listtable',
    'listoverridetable',
    'revtbl',
    'rsidtbl',
    'filetbl',
    'generator',
  ],
  ...['info', 'pict', 'object', 'header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'],
  ...['nonshppict', 'themedata', 'colorschememapping', 'datastore', 'latentstyles', 'xmlnstbl', 'mmathPr', 'bkmkstart'],
  ...['bkmkend', 'fldinst', 'datafield', 'private', 'template', 'tc', 'xe', 'annotation', 'atnid', 'atnauthor'],
  // Of a drawing: the name and value of a property, and a copy of the drawing for old readers.
  ...['sp', 'shprslt'],
]);

/** Groups whose text is the document's, though a reader that does not know them may ignore them. */
export const RTF_SHOWN: ReadonlySet<string> = new Set(['shppict', 'shpinst', 'footnote', 'moMath', 'moMathPara']);

/** Groups of what a part of a formula looks like: `{\mfPr{\mtype bar}}`. */
export const RTF_FORMULA_LOOKS: RegExp = /^m[a-zA-Z]{1,20}Pr$/;

/** Windows code pages of font character sets that differ from the document's (RTF 1.9.1, `\fcharset`). */
export const RTF_CHARSETS: Readonly<Record<number, string>> = {
  0: 'windows-1252',
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

/** Encoding of `\ansicpg`. */
export function rtfCodePage(page: number): string {
  const odd: Readonly<Record<number, string>> = {
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    65001: 'utf-8',
  };
  return odd[page] ?? `windows-${page}`;
}
