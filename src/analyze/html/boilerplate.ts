import { ownCopy } from '../../kit/index.ts';
import type { Place } from './layout.ts';

/** What a word says of the element whose `class` or `id` has it in a name. */
const WORD = {
  /** As the last word: always boilerplate. */
  sure: 1,
  /** As the last word: a part of a site, the subject of a text, or a box within a text. */
  doubtful: 2,
  /** As the first word: boilerplate, such as `navbar-collapse`, `breadcrumb-list`. */
  leading: 4,
  /** Anywhere: boilerplate, such as `cookie-notice`, `cmplz-cookiebanner-container`. */
  anywhere: 8,
  /** As the first word: the name describes a page, such as `has-sidebar`, `content-footer`. */
  negating: 16,
  /** Anywhere: `main-with-sidebar`, `no-footer`. */
  negatingAnywhere: 32,
  /** Before the last word: `above-footer` does not name a footer. */
  preposition: 64,
  /** As the first word: the subject of a text. WordPress marks a post about cookie recipes as `post category-cookies`. */
  subject: 128,
  /** Anywhere: what stands beside a text, such as captions, bylines, comments, related pages. */
  beside: 256,
  /** As the first word: the same. Page builders call every part `builder-widget`. */
  besideLeading: 512,
  /** A name with both is a caption: `img-description`. */
  image: 1024,
  description: 2048,
  /** Anywhere: who wrote the page. */
  author: 4096,
  /** Anywhere: not the name of an author, but a picture, a list or a text about one. */
  notAuthor: 8192,
  /** Anywhere: other pages, or what readers wrote. Authors in it are not those of the page. */
  others: 16384,
} as const;

const WORDS: ReadonlyMap<string, number> = bitsOf({
  sure: `footer breadcrumb breadcrumbs crumbs cookie cookies consent gdpr banner advert advertisement ads ad adsense sponsored promo
sharethis addthis sharedaddy relatedposts respond commentform copyright skip skiplink subscribe newsletter signup catlinks editsection jumplinks printfooter toplinks`,
  doubtful: `nav navbar navbox navigation topnav sidenav menu menubar submenu dropdown sidebar social share sharing related pagination
pager toolbar masthead comments commentlist reply related recommended recommendations tags bio teaser teasers notice rating popup modal overlay login search searchbox searchform noprint navigationbar metadata sitenav`,
  leading: `nav navbar navbox breadcrumb breadcrumbs consent`,
  negating: `has with no without is hide toggle page layout wrapper content`,
  negatingAnywhere: `has with no without`,
  preposition: `above below before after over under near pre post`,
  subject: `category tag tags cat topic keyword tax term`,
  beside: `abonnement ad addtoany ads adv advert advertisement affiliate affiliatelinks annotation anzeige appendix articleinfo articlemeta auteur
author authors autor autore autoren avatar bildtext bildunterschrift bio breadcrumb breadcrumbs byline callout caption captions
categories comentarios comment commentaires commentlist comments contact copyright counter credit credito creditos credits cta date
dateline datum dialog didascalia disclaimer disclosure discussion disqus donate donation entrymeta fecha feedback figcaption follow
footer fotocredit gravatar headlines imagecaption imagedescription imgcaption impressum imprint infobox kategorien keywords kommentar
kommentare kontakt legend legende lightbox like likes login meistgelesen meta mostread newsletter next outbrain pager pagination paypal
paywall permalink photographer pingback pingbacks plista poll popular postinfo postmeta postmetadata previous promo promotion pubdate
published rating reactions readingtime readmore readtime recentposts recirc recirculation recommande recommendation recommendations
recommended relacionadas relacionados related relatedcontent relatedposts replies reply respond schlagworte share sharebar sharedaddy
shares sharing sidebar signup similar sociable social spenden sponsor sponsored sponsors stichworte subscribe subscription supplement
taboola tag taglist tags time timestamp toc trackback trackbacks trending umfrage vcard verwandte vote voting weiterlesen werbung yarpp`,
  besideLeading: `widget widgets widgettitle`,
  author: `author authors auteur auteurs autor autore autoren byline`,
  notAuthor: `about archive archives articles avatar bio biography box card cards count desc description email feed follow footer
image img info job list menu more page photo picture popular posts profile role sidebar social tag title twitter url website widget`,
  others: `comentarios comment commentaires commentlist comments disqus kommentar kommentare next pingback popular previous recent recentposts
recommendations recommended related relatedposts replies reply respond similar teaser teasers trackback trending`,
  image: `image img photo foto picture bild`,
  description: `description descriptif desc title legend info source quelle untertitel unterschrift`,
});
/** Beginnings of words that are {@link WORD.anywhere}. */
const ANYWHERE = /^(?:cookie|gdpr)/;
/** Whole names: {@link WORD.doubtful}, and labels for screen readers, which are {@link WORD.beside}. */
const NAMES: ReadonlyMap<string, number> = bitsOf({
  doubtful: `header site-header page-header global-header top-bar topbar left-column-nav`,
  beside: `sr-only screen-reader-text visually-hidden visuallyhidden`,
});
/** The id is derived from its heading: `<div class="section" id="search">` is a manual's section about searching. */
const SECTION = /(?:^|\s)(?:section|sect\d|level-?\d|chapter|appendix|[a-z]+-level-extent)(?:\s|$)/;
const ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'toolbar',
  'dialog',
  'alert',
]);

/** The shortest relevant name is `amp-ad`: most unknown elements are shorter and are skipped. */
const MIN_ELEMENT_CHARS = 6;
const MAX_ELEMENT_CHARS = 60;
const MAX_VALUE_CHARS = 300;
const DASH = 45;

const MEMO_LIMIT = 10_000;
/**
 * What a `class` or `id` says: its element may be boilerplate, is boilerplate, stands beside the text, names the author, or has other pages
 * or comments.
 */
export const SAYS = { doubtful: 1, boilerplate: 2, beside: 4, author: 8, others: 16 } as const;
const memo = new Map<string, number>();

/** Whether a `role` marks boilerplate. */
export function isBoilerplateRole(role: string): boolean {
  return ROLES.has(role.trim().toLowerCase());
}

/** Whether a `class` marks a section of a text. */
export function isSectionClass(value: string): boolean {
  return SECTION.test(value);
}

/** Returns what a `class` or `id` says: bits of {@link SAYS}, 0 for nothing. Memoised. */
export function saidBy(value: string): number {
  if (value === '' || value.length > MAX_VALUE_CHARS) return 0;
  const known = memo.get(value);
  if (known !== undefined) return known;
  let says = 0;
  for (let start = 0, i = 0; i <= value.length; i++) {
    if (i < value.length && value.charCodeAt(i) > 32) continue;
    if (i > start) says |= saidByName(value, start, i);
    start = i + 1;
  }
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(ownCopy(value), says);
  return says;
}

/** Returns the place that a `class` or `id` names: navigation, a footer, an advertisement or similar. */
export function placeIn(says: number): Place {
  if ((says & SAYS.boilerplate) !== 0) return 'boilerplate';
  return (says & SAYS.doubtful) === 0 ? 'own' : 'doubtful';
}

/** Whether the name of a custom element, at `source[start … end)`, marks navigation, a footer or similar. */
export function namesBoilerplate(source: string, start: number, end: number): boolean {
  if (end - start < MIN_ELEMENT_CHARS || end - start > MAX_ELEMENT_CHARS) return false;
  for (let i = start; i < end; i++)
    if (source.charCodeAt(i) === DASH) return placeIn(saidBy(source.slice(start, end))) !== 'own';
  return false;
}

/** Reads the name at `value[start … end)`. Its words end at signs, digits, and where a capital follows a small letter. */
function saidByName(value: string, start: number, end: number): number {
  let [count, first, beforeLast, last, all] = [0, 0, 0, 0, 0];
  let from = -1;
  let wasSmall = false;
  for (let i = start; i <= end; i++) {
    const c = i < end ? value.charCodeAt(i) : 0;
    const isSmall = c >= 97 && c <= 122;
    const isLetter = isSmall || (c >= 65 && c <= 90);
    if (from >= 0 && (!isLetter || (wasSmall && !isSmall))) {
      beforeLast = last;
      last = saidByWord(value.slice(from, i).toLowerCase());
      if (count++ === 0) first = last;
      all |= last;
      from = -1;
    }
    if (from < 0 && isLetter) from = i;
    wasSmall = isSmall;
  }
  const whole = NAMES.get(value.slice(start, end).toLowerCase()) ?? 0;
  if ((whole | all) === 0) return 0;
  if (whole !== 0) return (whole & WORD.beside) === 0 ? SAYS.doubtful : SAYS.beside;
  const isNegated = (first & WORD.negating) !== 0 || (all & WORD.negatingAnywhere) !== 0;
  if (isNegated) return 0;
  const isSubject = (first & WORD.subject) !== 0;
  return (
    (isSubject ? 0 : placeBits(first, beforeLast, last, all)) |
    (isSubject && count > 1 ? 0 : besideBits(first, all) | authorBits(all))
  );
}

function placeBits(first: number, beforeLast: number, last: number, all: number): number {
  if ((beforeLast & WORD.preposition) !== 0) return 0;
  if ((last & WORD.sure) !== 0 || (first & WORD.leading) !== 0 || (all & WORD.anywhere) !== 0) return SAYS.boilerplate;
  return (last & WORD.doubtful) === 0 ? 0 : SAYS.doubtful;
}

function besideBits(first: number, all: number): number {
  const isCaption = (all & WORD.image) !== 0 && (all & WORD.description) !== 0;
  return isCaption || (all & WORD.beside) !== 0 || (first & WORD.besideLeading) !== 0 ? SAYS.beside : 0;
}

function authorBits(all: number): number {
  if ((all & WORD.others) !== 0) return SAYS.others;
  return (all & WORD.author) === 0 || (all & WORD.notAuthor) !== 0 ? 0 : SAYS.author;
}

function saidByWord(word: string): number {
  return (WORDS.get(word) ?? 0) | (ANYWHERE.test(word) ? WORD.anywhere : 0);
}

function bitsOf(lists: Readonly<Partial<Record<keyof typeof WORD, string>>>): ReadonlyMap<string, number> {
  const bits = new Map<string, number>();
  for (const [name, words] of Object.entries(lists))
    for (const word of words.split(/\s+/)) bits.set(word, (bits.get(word) ?? 0) | WORD[name as keyof typeof WORD]);
  return bits;
}
