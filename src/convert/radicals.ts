/**
 * Parts of Chinese characters that Unicode encodes twice (CJK Radicals Supplement, Kangxi Radicals). Fonts draw both alike, and browsers print the first to PDF: "⾃転⾞" looks like 自転車, but no search finds it.
 */
const RADICALS = /[\u2e80-\u2fdf\uf900-\ufaff]+/g;

/** Those that normalization leaves as they are (Unicode, EquivalentUnifiedIdeograph.txt), beside what they stand for. */
const SUPPLEMENT =
  '⺂⺃⺅⺉⺎⺏⺐⺒⺓⺔⺕⺖⺘⺙⺛⺞⺠⺡⺣⺤⺦⺨⺫⺭⺯⺰⺱⺹⺺⺾⺿⻂⻃⻄⻅⻆⻈⻉⻋⻌' +
  '⻍⻎⻐⻑⻒⻓⻔⻖⻘⻙⻚⻛⻜⻝⻟⻠⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲';
const IDEOGRAPHS =
  '乛乚亻刂兀尣尢巳幺彑彐忄扌攵旡歺民氵灬爫丬犭罒礻糹纟罓耂肀艹艹衤覀西见角讠贝车辶' +
  '辶辶钅長镸长门阝青韦页风飞食飠饣马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀';

/** The same text with whole characters in place of radicals. */
export function withoutRadicals(text: string): string {
  return text.replace(RADICALS, (run) =>
    Array.from(run.normalize('NFKC'), (letter) => {
      const at = SUPPLEMENT.indexOf(letter);
      return at < 0 ? letter : IDEOGRAPHS[at]!;
    }).join(''),
  );
}
