/** English words without topical meaning. Apostrophes split words, so `don't` is `don` and `t` here. */
const ENGLISH = `
a about above according across actually after afterwards again against ago ain all allow almost alone along already also
although always am among amongst an and another any anybody anyhow anyone anything anyway anywhere apart are aren around
as aside ask at away back be became because become becomes been before beforehand behind being below beside besides
best better between beyond both brief but by came can cannot cant come comes could couldn d did didn do does doesn doing
don done down during each eg either else elsewhere enough especially et etc even ever every everybody everyone
everything everywhere except far few following for former formerly forth from further furthermore gave get gets getting
give given gives go goes going gone got had hadn hardly has hasn have haven having he hence her here hereby herein hers
herself him himself his how however i ie if in indeed instead into inward is isn it its itself just keep keeps kept knew
know known last lately later latter least less let like likely little ll look looks m made mainly make makes many may
maybe me meanwhile might mine more moreover most mostly much must my myself namely near nearly neither never
nevertheless next no nobody none nonetheless nor not nothing now nowhere o obviously of off often oh ok okay on once one
ones only onto or other others otherwise ought our ours ourselves out outside over overall own particular particularly
per perhaps placed please possible probably put quite rather re really reasonably regarding regards s said same saw say
saying says see seem seemed seeming seems seen self selves several shall shan she should shouldn since so some somebody
somehow someone something sometime sometimes somewhat somewhere soon still such sure t take taken takes tell tend than
that the their theirs them themselves then thence there thereafter thereby therefore therein thereupon these they thing
things this those though through throughout thru thus to together too took toward towards tried tries truly try trying
twice under unless unlike until unto up upon us use used useful uses using usually various ve very via viz want wants was
wasn way we well went were weren what whatever when whence whenever where whereas whereby wherein wherever whether which
while whither who whoever whole whom whose why will with within without won would wouldn yes yet you your yours yourself
yourselves`;

/** Function words of other languages, enough to recognise the language and to keep them out of the features. */
const OTHERS: Readonly<Record<string, string>> = {
  de: `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
bin bis bist da damit dann das dass daß dein deine dem den der des dessen die dies diese diesem diesen dieser dieses doch
dort du durch ein eine einem einen einer eines einige er es etwas euch euer für gegen hab habe haben hat hatte hatten
hier hin hinter ich ihm ihn ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jetzt kann
kein keine keinem keinen keiner können könnte machen man manche mehr mein meine mich mir mit muss musste nach nicht nichts
noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollte sondern
sonst über um und uns unser unter viel vom von vor war waren warst was weg weil weiter welche welchem welchen welcher
wenn wer werde werden wie wieder will wir wird wirst wo wollen wollte wurde wurden während würde würden zu zum zur zwar
zwischen`,
  fr: `à ai aient ainsi alors après as au aucun aujourd aussi autre autres aux avait avant avec avez avoir avons c car
ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme d dans de depuis des donc dont du durant
elle elles en encore entre est et étaient était étant été êtes être eu eux fait font fut ici il ils j je jusqu l la le
les leur leurs lors lorsque lui m ma mais me même mêmes mes moins mon n ne ni non nos notre nous on ont ou où par parce
parmi pas peu peut peuvent plus pour pourquoi puis qu quand que quel quelle quelles quels qui s sa sans se selon sera
seront ses si sien sinon soit son sont sous souvent sur t ta tandis te tel telle tels tes toi ton toujours tous tout
toute toutes très tu un une vers voici voilà vos votre vous y`,
  es: `a al algo algunas algunos ante antes aquel aquella así aun aunque bien cada casi como con contra cual cuales
cualquier cuando cuyo de del desde después donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese
eso esos esta está están estar estas este esto estos fue fueron ha haber había habían hacia han hasta hay la las le les lo
los luego más me mediante mi mientras mis mismo misma mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra
otras otro otros para pero poco por porque puede pueden pues que qué quien quienes se sea según ser si sí sido sin sino
sobre son su sus también tan tanto te tiene tienen toda todas todo todos tu tus un una unas uno unos usted y ya yo`,
  it: `a ad agli ai al alla alle allo anche ancora aveva avere c che chi ci ciò come con cui d da dagli dai dal dalla
dalle dallo degli dei del dell della delle dello di dopo dove due e è ed egli era erano essa esse essere essi fra gli ha
hanno ho i il in io l la le lei li lo loro lui ma mi mia mio molto ne negli nei nel nella nelle nello no noi non nostra
nostro o ogni oppure per perché però più poi può qual quale quali quando quanto quella quelle quelli quello questa queste
questi questo qui s se sé sempre senza si sia sono sopra sotto stata stato sua sue sugli sui sul sulla sulle sullo suo
suoi tra tu tutta tutte tutti tutto un una uno v vi voi`,
  pt: `a à ao aos aquela aquele aqui as às até cada com como contra da das de dela dele deles depois desde do dos e é ela
elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há isso isto já lhe
lhes mais mas me mesmo meu meus minha muito muitos na nas não nem no nos nós nossa nosso num numa o os ou para pela pelas
pelo pelos por porque pouco quais qual quando quanto que quem se sem sempre ser seu seus sob sobre sua suas são só também
te tem têm ter teve todo todos tu tua um uma umas uns você vos`,
  nl: `aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen
geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met
mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel
voor want waren was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
  sv: `alla allt att av blev bli blir de dem den denna deras dess dessa det detta dig din där då efter eller en er ett
från för ha hade han hans har henne hennes hon honom hur här i icke inom inte jag kan kunde man med mellan men mig min
mot mycket ni nu när någon något några och om oss på sedan sig sin sina själv ska skulle som så sådan till under upp ut
utan vad var vara varit vi vid vilken vår än är över`,
  da: `af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et
for fra ham han hans har havde hende hendes her hos hun hvad hvis hvor i ikke ind jeg jo kan kunne man mange med meget men
mig min mod ned noget nogle nu når og også om op os over på selv sig sin skal skulle som sådan thi til ud under var vi
vil ville vor være været`,
  no: `alle at av ble blei bli blir blitt da de deg dei dem den denne der dere deres det dette din disse du då eg
ein eit eller en enn er et etter for fra frå hadde han hans har henne her hos hun hva hvilke hvilken hvis
hvor i ikke ikkje inn jeg kan korleis kunne kva kvar man mange med meg meget meir mellom men mer min mot mye mykje ned
noe noen noko nokon nokre nå når og også om opp oss over på seg selv sin sitt sjøl sjølv skal skulle slik som til
under ut uten var vart vere vi vil ville vore være vært vår våre å`,
  pl: `a aby ale bardzo bez bo być był była było były będzie co czy dla do gdy gdzie go i ich im innych ja jak jako je
jego jej jest jeszcze jeśli już każdy kiedy kto która które którego której który których którzy lub ma mi mnie może na
nad nam nas nie nim niż no o od on ona one oni oraz po pod podczas przed przez przy są się sobie sposób swoje ta tak
także tam te tego tej ten też to tu tych tylko tym w we więc wszystko z za że`,
  ru: `а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до его ее её
если есть еще ещё же за здесь и из или им их к как ко когда кто ли либо между меня мне может можно мы на над надо наш не
него нее неё нет ни них но ну о об однако он она они оно от очень по под после при про с со так также такой там те тем то
того тоже той только том ты у уже хотя чего чей чем что чтобы чье чья эта эти это этого этой этом этот я`,
  ar: `في من على إلى عن مع أن إن أو و ثم هذا هذه ذلك تلك هو هي هم التي الذي الذين كل أي كان كانت يكون تكون قد لا ما لم
لن بين بعد قبل عند حتى كما منذ غير بل به بها له لها لهم فيه فيها منه منها عليه عليها أما إذا لكن وقد ولا وفي ومن كانوا
هناك أيضا دون نحو عبر ضد حول خلال وهو وهي وأن`,
  bg: `и на да за се от не в с по са е като към че които който която което това при до или тази този тези един една
едно бъде бъдат има имат всеки всички трябва може само свои своите му им си й го ги ще след без между през върху
според както също така но а със във ако те той тя ние вие аз беше бяха били бил още вече повече много над под где къде
кой кога защо дали нещо някои друг друга други нито`,
  ca: `a al als amb aquest aquesta aquestes aquests així cada com contra d de del dels des després el ella elles ells
els en entre era eren es és està estan estava fins foren fou ha han havia hi i ja l la les li llur llurs m mai me
mentre més meva meu molt n ni no nosaltres o on pel pels per perquè però poc pot qual quals quan que què qui s se
sense ser seu seus seva seves sí si sobre sol són sota també tan tant tenen tot tota totes tots tu un una unes uns us
va van vosaltres`,
  el: `ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους και ή να θα με σε από για που πως
ότι αν δεν μη μην είναι ήταν έχει έχουν είχε ένας μία μια ένα αυτό αυτή αυτός αυτά αυτές αυτοί αυτών όπως όταν κάθε
πολύ πιο ως κατά μετά πριν μεταξύ προς υπό αλλά επίσης μόνο μπορεί μπορείτε μπορούν σας μας τη οποία οποίο οποίος όλα
όλες όλοι όλων εάν καθώς χωρίς ακόμη ανά`,
  fa: `و در به از که این آن را با برای تا بر است بود شد شده می های یا هم یک هر نیز اما اگر هیچ چه کند کنند کرد کرده
شود شوند باشد باشند بین پس پیش بدون دارد دارند داشته داشت خود او آنها ما شما وی همه همین همان چون زیرا سپس آنکه اینکه
بیش دیگر باید توان ها هستند بودند نمی دو ای`,
  ga: `a ag agus aige aici air an ann ar as atá bhfuil cé chuig chun dá de den don é ea faoi gach go gur i í iad in
ina is le leis mar má mé mo muid ná nach nó níl ó ón raibh roimh san sé seo sí sin siad siúd tá thar tú um`,
  he: `של את על לא הוא היא הם הן זה זו זאת אלה אלו כל או אם גם כי אשר עם בין אל מן היה היתה הייתה היו יהיה יש אין אני
אנו אנחנו אתה אתם לו לה להם בו בה בהם ממנו רק עוד כמו אך אבל לאחר לפני עד כדי תוך אותו אותה אותם מה מי איך כאשר אחרי
אצל מאוד ידי לפי`,
  hi: `का के की को में से है हैं था थे थी पर और या तथा एवं कि यह वह ये वे इस उस इन उन ने भी नहीं तो ही कर करने करना
करता किया किए गया गई गए जा जाता होता होती होते हो होना हुए हुआ हुई लिए साथ तक अपने अपनी अपना कोई कुछ जो जब तब यदि
लेकिन बाद एक द्वारा वाले वाली किसी सभी बहुत आप हम मैं उसके इसके उनके रहा रहे रही सकता सकते सकती`,
  hu: `a az és hogy nem is egy ez azt de ha van volt lesz vagy mint csak már még meg el ki be fel le amely amelyek ami
aki akik ezt ezek azok minden által után előtt között alatt szerint valamint illetve pedig így úgy majd mert lehet
kell kellett nincs sem ne sok több más saját ezért azonban olyan ilyen amikor ahol ennek annak arra erre ebben abban
erről arról`,
  id: `yang dan di dari untuk dengan dalam pada adalah tidak ini itu akan atau oleh ke sebagai juga telah dapat bagi
para serta bahwa setiap seperti karena ada anda kami mereka ia dia kita saya lebih hanya bisa sudah belum harus maka
agar tersebut tanpa antara secara sebuah suatu hingga ketika setelah sebelum jika namun tetapi lain sangat semua
menjadi merupakan yaitu kepada terhadap`,
  ro: `a ai al ale am ar are această acest aceste acestea aceasta acesta acolo avea aveau ca că care cât când ce cea
cei cel cele cu cum da dacă dar de din după ea ei el ele eu era erau este fi fie fiecare fost fără i iar îi îl în
între într-o își la le li lor lui mai mult nu ne ni noi nostru o ori or pe pentru peste poate pot prin s sa sau
să se si și sub sunt ta te tot toate toată toți tu un una unde unei unor unui va vor voi`,
  tr: `ve bir bu da de ile için olarak olan daha çok gibi kadar ya veya ama ancak ise ki mi mı mu mü ne o şu her hiç
en sonra önce göre üzerinde tarafından değil var yok olduğu olup ben sen biz siz onlar onun bunu buna bunun şey diye
çünkü eğer hem bile bütün tüm kendi aynı ayrıca böyle nasıl`,
  uk: `а або аж але б без би був була були було бути в вам вас ви від він вже все всі вона вони воно всіх де для до
друге є ж за з зі із й його її їх і інші коли ким кого кожен кожна кожного крім лише між мене мені ми може можуть
можна на над нам нас наш не ні них но ну о об однак один перед під після по при про саме свій свого своїх себе та так
такий такі також там те ти то тобто того той тому тут у хоча це цей ці цього цьому ця через чи чого що щоб як яка який
яких які якщо якого якої`,
  vi: `và của là các có được cho trong không với một những để này khi đã từ đến trên hoặc hay ra vào sẽ bạn nó ở theo
như thì mà nếu đang cũng lại phải nào đó bởi tại về rằng vì nên sau trước do mọi đều bị chỉ rất hơn còn nhưng cùng`,
  be: `а або але аб без быў была было былі быць ва вам вас вы гэта гэтага гэтай гэтым гэты гэтыя для да з за і каб
калі кожны кожнага каго ля мае маюць між можа можна мы на над нам нас не ні ніхто няма павінен павінна паводле пад
падчас пасля пра праз пры па са сваё свае сваёй свайго сваю сваіх сябе так таго такі таксама там той толькі тое ты у ў
усе ўсе хто ці чаго што як яго яе якая які якія якіх якога якой яна яны ён іх`,
  mk: `и на во да се од за со е не или што кој која кое кои како тоа ова овој оваа овие тој таа тие има имаат секој
секоја сите треба може можат само свој својата својот своите му им ги го ја ќе без меѓу по при до пред ниту никој биде
бидат беше биле сум си ние вие јас а но ако кога каде над под врз според спрема поради исто така уште веќе повеќе
многу друг друга други еден една едно`,
  sr: `и у на је се да за од са као што који која које којих којима или не су би бити буде има имају сваки свако свака
сваком треба може могу само свој своје своју својих му им га их ће без међу по при до пред нити нико био била било
били сам си смо ми ви ја а али ако када где над под према због тако такође још већ више много други друга друго један
једна једно овај ова ово ове овим тај та то ти те том тој његов његова њихов из о уз ради`,
};

/** Words of English that pages in any language quote. */
const ENGLISH_ABROAD = `
a an and are as at be been being but by can could did do does for from had has have how i if in into is it its me more my
no not of on one only or other our should so some such than that the their them then there these they this those through to up
use used using was we were what when where which while who will with would you your`;

/**
 * Those of them that are nouns or verbs of another language, which a topic may be about: French `or` is gold, a
 * Danish `by` a town. It covers some languages in Latin letters. Stop words of the language itself need no entry.
 */
const NOT_ENGLISH: Readonly<Record<string, string>> = {
  ca: 'as or',
  cs: 'had',
  da: 'and by had have is so',
  de: 'not these',
  es: 'as do',
  fi: 'into',
  fr: 'an but do if or',
  hr: 'more',
  hu: 'had has',
  id: 'as',
  it: 'do more',
  nl: 'as been these',
  no: 'and by is not or',
  pl: 'as but',
  ro: 'an as do',
  sk: 'had more',
  sr: 'more',
  sv: 'and by is not',
  tr: 'at but can has it',
  vi: 'an in so to',
};

/** Further words that occur in anchors without describing the target (BINGO! §3.4: "click here", "home"). */
const ANCHOR = `
about accessibility account archive article back bookmark bottom button click comment comments contact contents continue
cookie cookies copyright details disclaimer download edit email english enter external faq feedback feed forum full go
help here hide home homepage html http https imprint index info information internet jump language legal license link
links list listing log login logout main map menu mirror more mobile navigation new news next older online open org page
pages pdf permalink photo picture policy prev previous print printable privacy read register reply return rss search
section share show sign site sitemap skip source start submit subscribe tags terms text to today tools top topic unknown
up update updated url version view visit web webmaster webpage website welcome wiki www com net org edu gov htm php asp`;

function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

/** Both Norwegian standards share a list. */
const LISTED_AS: Readonly<Record<string, string>> = { '': 'en', nb: 'no', nn: 'no' };

const cache = new Map<string, ReadonlySet<string>>();

/** Stop words of a language (ISO 639-1); of English for an unknown one; none for a language without a list. */
export function stopWords(language: string): ReadonlySet<string> {
  let set = cache.get(language);
  if (set === undefined) {
    const listed = LISTED_AS[language] ?? language;
    const list = listed === 'en' ? ENGLISH : OTHERS[listed];
    set = new Set(list === undefined ? [] : words(list));
    cache.set(language, set);
  }
  return set;
}

/** What pages in a language are indexed without: its stop words, and the commonest of English, which they quote, unless they are its own. */
export function unindexedWords(language: string): ReadonlySet<string> {
  const own = stopWords(language);
  if (language === '' || language === 'en') return own;
  const kept = new Set(words(NOT_ENGLISH[LISTED_AS[language] ?? language] ?? ''));
  return new Set([...own, ...words(ENGLISH_ABROAD).filter((word) => !kept.has(word))]);
}

/** Whether pages in a language are indexed without other words than those in a language of which we know nothing. */
export function hasOwnStops(language: string): boolean {
  return stopWords(language).size > 0 || Object.hasOwn(NOT_ENGLISH, language);
}

/** Whether a word, in lower case, is a stop word in some language: pages in it are indexed without the word. */
export function isStopWord(word: string): boolean {
  return STOP_WORD_LANGUAGES.some((language) => stopWords(language).has(word));
}

/** What the `anchors` space is built without: what pages in the language are, and the {@link ANCHOR} words, which are the web's. */
export function anchorStopWords(language: string): ReadonlySet<string> {
  return new Set([...unindexedWords(language), ...words(ANCHOR)]);
}

/** Languages with a stop list. */
export const STOP_WORD_LANGUAGES: readonly string[] = ['en', ...Object.keys(OTHERS)];
