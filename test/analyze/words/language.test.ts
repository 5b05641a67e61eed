import { describe, expect, it } from 'vitest';
import { languageOf, primaryTag } from '../../../src/analyze/words/language.ts';
import { documentOf } from '../pages.ts';

const SAMPLES: Readonly<Record<string, string>> = {
  en: 'The crawler fetches the pages that are most likely to be about the topic, and it leaves the others for later.',
  de: 'Der Hund läuft über die Straße und sieht nicht, dass ein Auto kommt, das er aber hören kann, weil es laut ist.',
  fr: "Le chien traverse la rue et ne voit pas qu'une voiture arrive, mais il l'entend parce qu'elle est très bruyante.",
  es: 'El perro cruza la calle y no ve que viene un coche, pero lo oye porque hace mucho ruido en la ciudad.',
  it: 'Il cane attraversa la strada e non vede che arriva una macchina, ma la sente perché è molto rumorosa.',
  pt: 'O cão atravessa a rua e não vê que vem um carro, mas ele o ouve porque faz muito barulho na cidade.',
  nl: 'De hond steekt de straat over en ziet niet dat er een auto aankomt, maar hij hoort hem wel omdat hij luid is.',
  ru: 'Собака переходит улицу и не видит, что едет машина, но она её слышит, потому что машина очень громкая.',
  ja: 'データベースシステムの回復アルゴリズムについて説明します。',
  zh: '数据库系统的恢复算法在本文中得到了详细的说明。',
  ko: '데이터베이스 시스템의 복구 알고리즘을 설명한다.',
  el: 'Ο σκύλος διασχίζει το δρόμο και δεν βλέπει το αυτοκίνητο.',
  th: 'ระบบฐานข้อมูลและอัลกอริทึมการกู้คืน',
  be: 'Сабака пераходзіць вуліцу і не бачыць, што едзе машына, але чуе яе, таму што яна вельмі гучная.',
  bg: 'Кучето пресича улицата и не вижда, че идва кола, но я чува, защото тя е много шумна и е на пътя.',
  mk: 'Кучето ја преминува улицата и не гледа дека доаѓа автомобил, но го слуша затоа што е многу гласен.',
  sr: 'Пас прелази улицу и не види да долази ауто, али га чује зато што је веома гласан и близу је.',
  ca: 'El gos travessa el carrer i no veu que ve un cotxe, però el sent perquè fa molt de soroll a la ciutat.',
  ga: 'Tá an madra ag dul trasna an bhóthair agus ní fheiceann sé an carr atá ag teacht, ach cloiseann sé é.',
  id: 'Anjing itu menyeberang jalan dan tidak melihat bahwa ada mobil yang datang, tetapi ia mendengarnya.',
  vi: 'Con chó băng qua đường và không thấy một chiếc xe đang đến, nhưng nó nghe được vì xe rất ồn.',
};

describe('language', () => {
  it.each(Object.entries(SAMPLES))('recognises %s by its text alone', (language, text) => {
    expect(languageOf(text, '')).toBe(language);
  });

  it('marks separate from their letters do not change the language', () => {
    expect(languageOf(SAMPLES.vi!.normalize('NFD'), '')).toBe('vi');
    expect(languageOf(SAMPLES.vi!.normalize('NFD').repeat(3), 'vi')).toBe('vi');
  });

  it('letter statistics recognise languages without a list of stop words', () => {
    expect(
      languageOf('Koira ylittää kadun eikä näe, että auto tulee, mutta kuulee sen, koska se on kovaääninen.', ''),
    ).toBe('fi');
    expect(
      languageOf('Собака переходить вулицю і не бачить, що їде машина, але вона її чує, бо машина дуже гучна.', ''),
    ).toBe('uk');
  });

  it.each([
    ['no', 'Brunost er en norsk ost som lages av myse. Osten ble først laget i Gudbrandsdalen og spises ofte på brød.'],
    ['no', 'Eg veit ikkje kva som hende etter at vi hadde gått heim, men nokon sa at dei ikkje fann vegen tilbake.'],
    [
      'da',
      'Smørrebrød er en dansk ret, der består af rugbrød med pålæg. Det blev først spist i byen og er nu kendt ud over landet.',
    ],
    ['da', 'Jeg ved ikke hvad der skete efter at vi var gået hjem, men nogle sagde at de ikke kunne finde vejen.'],
  ])('distinguishes both spellings of Norwegian from Danish: %s', (language, text) => {
    expect(languageOf(text, '')).toBe(language);
  });

  it('accepts the declared language for a table, not for a text in another language', () => {
    const table =
      'Device Status Modules Graphics Working xf86-video-intel Ethernet Working of the Wireless Working iwlwifi Audio snd';
    expect(languageOf(table, 'en')).toBe('en');
    const finnish =
      'Koira ylittää kadun eikä näe, että auto tulee, mutta kuulee sen, koska se on kovaääninen. Kissa istuu ikkunalla ja ' +
      'katselee lintuja, jotka lentävät puutarhan yli kohti metsää, jossa niiden pesät ovat korkealla puissa suojassa tuulelta.';
    expect(languageOf(finnish, 'en')).toBe('fi');
  });

  it('accepts a declared language if nothing contradicts it', () => {
    expect(languageOf('Koira ylittää kadun eikä näe autoa, joka tulee.', 'fi-FI')).toBe('fi');
    expect(languageOf(SAMPLES.de!, 'de')).toBe('de');
    expect(languageOf('Hubs, authorities', 'en')).toBe('en');
  });

  it('a template that declares English does not make other pages English', () => {
    expect(languageOf(SAMPLES.de!, 'en')).toBe('de');
    expect(languageOf(SAMPLES.ru!, 'en-US')).toBe('ru');
    expect(languageOf(SAMPLES.zh!, 'en')).toBe('zh');
  });

  it('keys and variables of one letter do not make a text French', () => {
    const card =
      'Shell Interaction Run a command on the master file C-c C-c Run a command on the buffer C-c C-b Run a command on the region C-c C-r Kill job C-c C-k Recenter output buffer C-c C-l';
    expect(languageOf(card, '')).toBe('en');
  });

  it("recognises an English text by its 's, even with few other stop words", () => {
    const places = [
      'Tripoli',
      'Benghazi',
      'Zuwara',
      'Misrata',
      'Sabha',
      'Tobruk',
      'Ghadames',
      'Derna',
      'Zliten',
      'Kufra',
    ];
    expect(languageOf(places.map((place) => `${place}'s museum`).join(', '), '')).toBe('en');
  });

  it('a text of a few words has no language', () => {
    expect(languageOf('ARIES recovery', '')).toBe('');
    expect(languageOf('', '')).toBe('');
    expect(languageOf('1234 5678', 'none')).toBe('');
  });

  it('is read from the root element, otherwise from the header', () => {
    expect(documentOf('<html lang=fi-FI><p>sana').language).toBe('fi');
    expect(documentOf('<p>sana', { headers: { contentLanguage: 'fi, en' } }).language).toBe('fi');
  });

  it('stems each page by its own language', () => {
    expect(documentOf(`<p>${SAMPLES.en}`).features.terms?.features).toContain('crawler\nfetch\npage');
    expect(documentOf(`<html lang=en><p>${SAMPLES.de}`).features.terms?.features).toBe(
      'hund\nlauft\nstrass\nsieht\nauto\nkommt\nhor\nlaut',
    );
  });

  it.each([
    ['en-US', 'en'],
    [' DE ', 'de'],
    ['fr_FR', 'fr'],
    ['pt,en', 'pt'],
    ['english', ''],
    ['', ''],
  ])('the primary tag of %j is %j', (tag, primary) => {
    expect(primaryTag(tag)).toBe(primary);
  });
});
