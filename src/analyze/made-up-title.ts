/** What programs call what nobody gave a name, each in the languages of its users, or no word at all. */
const MADE_UP: readonly RegExp[] = [
  /^untitled(?: (?:document|page|web page|presentation))?(?:[ -]?\d{1,4})?$/i,
  /^(?:unbenannt(?:es dokument)?|(?:document )?sans (?:titre|nom))(?:[ -]?\d{1,4})?$/i,
  /^(?:new page|нов(?:ая|ый) (?:страница|документ))(?: \d{1,4})?$/iu,
  /^(?:presentation|slide|folie|diapositiv[ae]|document|dokument|layout)[ -]?\d{1,4}$/i,
  /^(?:(?:page|no|insert) title(?: here)?|title|unknown(?: title)?|document|documento (?:sin título|senza titolo|sem título)|無題ドキュメント|无标题文档)$/iu,
  /^(?:pr[eé]sent|apresent|prezent|презент)\p{L}+(?: \p{L}+){0,2} powerpoint$/iu,
  /^powerpoint[ -]?(?:pr[eäæ]sent\p{L}+|esitys|bemutató|sunusu|プレゼンテーション|演示文稿|簡報|프레젠테이션)$/iu,
  /^[^\p{L}\p{N}]*$/u,
];

/** True for the title of a page or a document that says nothing of it, since a program made it up: `Untitled Document`. */
export function isMadeUp(title: string): boolean {
  return MADE_UP.some((pattern) => pattern.test(title));
}
