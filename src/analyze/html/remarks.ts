/**
 * Remarks beside a text, by their first words: credits of pictures, hints at other pages, sharing, dates alone. In the
 * languages of most pages.
 */
const REMARKS: readonly RegExp[] = [
  /^[\s\p{P}\p{S}]*(?:(?:photo|foto|fotos|photos|photograph|fotografía|picture|image|imagen|bild|bilder|beitragsbild|titelbild|grafik|abbildung|abb|illustration|video|cr[ée]dits?|cr[ée]dito|kuva|zdjęcie|fot|source|quelle|quellen|fuente)(?: (?:by|von|de|par|credits?|photos?|courtesy|von der)\b|\s?(?:credit|by)?[:©(|/]))/iu,
  /^[\s\p{P}\p{S}]*(?:photograph by)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:copyright\b|©|\(c\) ?\d{4}))/iu,
  /^[\s\p{P}\p{S}]*(?:(?:read|see|watch|learn|find out|view)(?: (?:also|more|next|the full))\b)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:also read|more (?:on|about|from|stories)|related(?: \w+){0,2}$|related:|you (?:may|might) also|further reading|explore further|up next))/iu,
  /^[\s\p{P}\p{S}]*(?:(?:lesen sie|lies) (?:auch|hier|dazu|mehr)|(?:auch|zum) (?:lesen|interessant|weiterlesen|thema)|mehr (?:zum|zu|über|dazu|infos?|informationen|auf)\b|weiterlesen|weiterführende|das könnte|(?:ähnliche|verwandte|weitere) (?:artikel|beiträge|themen|informationen|links|news|nachrichten|meldungen))/iu,
  /^[\s\p{P}\p{S}]*(?:(?:à lire|lire) (?:aussi|également)|voir aussi|vous aimerez|sur le même sujet|en savoir plus|pour aller plus loin)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:lea|lee|vea|mira|puedes ver|te puede|le puede|también)(?: (?:también|además|más|interesar|leer))?:|(?:lea|lee|leer) (?:también|además|más)|(?:notas|noticias|artículos|contenido) relacionad[oa]s?|te puede interesar|leia (?:também|mais)|leggi anche|czytaj (?:też|także|również)|zobacz (?:też|także|również)|lees ook)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:share|tweet|teilen|diesen (?:artikel|beitrag) teilen|partager|compartir|condividi|udostępnij|print|drucken|advertisement|anzeige|werbung|publicidad|publicité|sponsored)(?: (?:this|on|auf|sur|en|post|article))*\s*[:!.|]?$)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:sign up|subscribe|abonnieren|newsletter|jetzt abonnieren|follow us|like us|folgen sie|folge uns|síguenos|suscríb|suscrib|abonnez|iscriviti))/iu,
  /^[\s\p{P}\p{S}]*(?:(?:leave a (?:reply|comment)|post a comment|no comments|\d+ (?:comments?|kommentare?|comentarios?|commentaires?|responses?|replies|antworten)|comments? (?:are|\(\d)|kommentare? (?:sind|\(|schreiben)|kommentar (?:verfassen|hinterlassen)|schreibe? einen kommentar|hinterlasse))/iu,
  /^[\s\p{P}\p{S}]*(?:(?:posted|published|written|filed|tagged|last (?:updated|modified)|updated|veröffentlicht|aktualisiert|erstellt|geschrieben|publié|publicado|actualizado|opublikowano)(?: (?:by|on|in|under|am|von|vom|le|par|por|el))?\b[^.]{0,80}$)/iu,
  /^[\s\p{P}\p{S}]*(?:this entry was posted|dieser (?:beitrag|eintrag) wurde|der beitrag wurde)/iu,
  /^[\s\p{P}\p{S}]*(?:(?:tags?|schlagworte?|schlagwörter|stichworte?|kategorien?|categor(?:y|ies|ías)|etiquetas|temas|topics|mots[- ]clés)\s*:?)/iu,
  /^[\s\p{P}\p{S}]*(?:\d+ ?(?:min|mins|minutes?|minuten?)[. ](?:read|lesezeit))/iu,
];

/** The first three characters of every remark above that begins with a letter, in lower case. Most texts begin otherwise. */
const BEGINNINGS: ReadonlySet<string> = new Set(
  `abb abo act adv akt als ant anz art auc bei bil c)_ cat com con cop cre cré czy das der die dru en_ erh ers eti exp fil fin fol fot fue fur ges
gra hin ill ima isc jet kat kom kuv las le_ lea lee leg lei les lie lik lir meh mir mor mot new no_ not opu par pho pic pos pou pri pub pue
que rea rel rep res sch see sha sig sou spo sti sub sur sus síg tag tam te_ tei tem thi tit top twe udo up_ upd vea ver vid vie voi vou wat
wei wer wri you zdj zob zum à_l ähn`
    .split(/\s+/)
    .map((beginning) => beginning.replace('_', ' ')),
);

/** Whether a text may be one of {@link REMARKS}: a look at its beginning, which is faster than fifteen patterns. */
function mayBeRemark(text: string): boolean {
  let at = 0;
  for (let c = text.charCodeAt(0); at < text.length; c = text.charCodeAt(++at)) {
    if (c === COPYRIGHT || (c >= 48 && c <= 57)) return true;
    const isSign = c < 128 ? !((c | 32) >= 97 && (c | 32) <= 122) : c < 0xc0 || (c >= 0x2000 && c < 0x2c00);
    if (!isSign) break;
  }
  return BEGINNINGS.has(text.slice(at, at + 3).toLowerCase());
}

const COPYRIGHT = 0xa9;

/** Words that mark an invitation or a notice anywhere in a short paragraph. */
const NOTICE =
  /\b(?:subscribe|subscribers?|subscription|newsletter|sign(?:ing)? up|abonnieren|abonnez|suscr[ií]b\p{L}*|subskrypcj\p{L}*|iscriviti|cookie (?:settings|policy)|enable javascript|all rights reserved|alle rechte vorbehalten|tous droits réservés|alle angaben ohne gewähr|privacy policy|datenschutzerklärung|terms of (?:use|service)|reading this (?:post|article)|(?:whatsapp|telegram|facebook|twitter|instagram) ?(?:kanal|channel|canal|seite|page)|follow (?:us|me)|rss[- ]feed|external content|externer inhalt|third[- ]party content)(?!\p{L})/iu;

/** Headings of what follows a text: comments, related pages, the author. */
const END_MARK =
  /^[\s\p{P}]*(?:(?:related|similar|recommended|more|other|latest|popular|trending)(?: (?:posts?|articles?|stories|news|content|coverage|topics|links|reading|from|on|you|about)\b.{0,40})?$|you (?:may|might) also|about the author|leave a (?:reply|comment)|\d* ?(?:comments?|responses?|kommentare?|comentarios|commentaires|antworten|reaktionen)(?: \(\d+\))?$|responses? to|(?:ähnliche|verwandte|weitere|neueste|aktuelle|ältere) (?:artikel|beiträge|themen|links|news|nachrichten|meldungen|informationen)|mehr (?:zum|zu|über|aus|von)\b|auch interessant|das könnte|über (?:den|die) autor|zum weiterlesen|letzte kommentare|kommentar (?:verfassen|schreiben|hinterlassen)|schreibe? einen kommentar|weiterführende|vous aimerez|sur le même sujet|à lire aussi|vos réactions|(?:notas|noticias|artículos|contenido)s? relacionad|te puede interesar|más (?:noticias|leídas)|leggi anche|zobacz (?:też|także|również)|czytaj (?:też|także))/iu;

/** Whether a short paragraph is a remark beside the text. */
export function isRemark(text: string): boolean {
  return (
    (mayBeRemark(text) && REMARKS.some((remark) => remark.test(text))) ||
    (text.length <= MAX_DATE_CHARS && /\d/.test(text) && DATE.test(text)) ||
    NOTICE.test(text)
  );
}

/** A date with a weekday and the time has no more characters. */
const MAX_DATE_CHARS = 70;

/** A date alone, with or without the time. */
const DATE =
  /^[\s\p{P}]*(?:\p{L}{2,12}[.,]? )?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}(?:\.|st|nd|rd|th)?(?: de)? \p{L}{3,12}\.?,?(?: de)? \d{4}|\p{L}{3,12}\.? \d{1,2}, \d{4})(?:\D{0,12}\d{1,2}[:.]\d\d.{0,12})?$/u;

/** Whether a short paragraph begins what follows the text. */
export function isEndMark(text: string): boolean {
  return END_MARK.test(text);
}
