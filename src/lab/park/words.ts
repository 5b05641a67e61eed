import { hash32, type Random, seededRandom } from '../../kit/index.ts';

/** The subject of a crawl in the park. */
export const TOPIC_SUBJECT = 'beekeeping';

/**
 * Vocabulary of each subject. `gardening` and `cooking` share a few words with the topic, like real neighbouring
 * subjects.
 */
const BANKS: Readonly<Record<string, string>> = {
  beekeeping: `beekeeper hive honeybee apiary swarm queen brood drone worker comb frame super smoker nectar pollen propolis wax
    colony varroa mite extractor veil skep langstroth nucleus requeening foraging waggle royal jelly honey stinger foulbrood
    nosema overwintering feeder syrup excluder brace supersedure entrance apiarist heather clover uncapping requeen splits`,
  gardening: `garden soil compost seedling perennial pruning mulch greenhouse trowel border shrub rose lawn bulb nursery
    fertiliser slug hedge vegetable tomato potting trellis annual weed planting drainage loam cuttings frost nectar pollen clover`,
  cooking: `recipe oven flour butter simmer saucepan garlic onion whisk dough baking roast broth pastry sugar honey syrup
    vinegar spice cinnamon herb skillet knead casserole marinade dessert glaze stew boil chop ladle wax`,
  railways: `locomotive railway carriage signal platform junction gauge track sleeper steam diesel tunnel viaduct timetable
    freight conductor siding turntable boiler rolling depot station electrification bogie coupling buffer branch express`,
  astronomy: `telescope galaxy nebula planet orbit comet asteroid supernova spectrum eclipse magnitude parallax observatory
    quasar redshift luminosity constellation satellite crater solar lunar meteor cluster pulsar eyepiece aperture stellar`,
  sailing: `sail mast rudder keel harbour regatta yacht dinghy tiller spinnaker jib mainsail anchor tide buoy helm crew
    tacking leeward windward mooring rigging hull boom compass navigation sextant gale marina knot`,
  chess: `chess opening endgame gambit bishop knight rook pawn checkmate castling grandmaster tournament sicilian defence
    stalemate blunder combination sacrifice clock rating tactic promotion fianchetto zugzwang diagonal rank middlegame`,
  architecture: `facade column vault arch dome cathedral masonry beam buttress cornice portico gothic baroque brick timber
    foundation balcony staircase courtyard tower roof architect blueprint concrete glazing ornament nave`,
  football: `goal striker midfielder penalty referee league stadium defender goalkeeper corner offside header coach
    transfer season championship tackle kick pitch substitute supporter trophy dribble fixture relegation crossbar`,
  knitting: `yarn needle stitch purl cable wool cardigan skein gauge ribbing sock shawl pattern crochet selvedge gusset
    cast increase decrease yoke sleeve swatch lace alpaca mohair bobbin spindle fleece`,
  programming: `compiler function variable loop array pointer debugger module library syntax recursion thread interface
    refactor runtime parser string integer memory stack heap exception closure type inheritance editor repository`,
  cycling: `bicycle pedal saddle handlebar derailleur chain sprocket spoke rim tyre puncture helmet gear brake peloton
    velodrome touring pannier climb sprint frame crank headset cadence trail descender`,
  photography: `camera lens shutter aperture exposure tripod film negative darkroom portrait landscape flash focus filter
    pixel sensor contrast composition viewfinder print enlargement zoom bokeh silver emulsion macro`,
  geology: `basalt granite sediment fossil strata limestone fault magma volcano mineral quartz erosion glacier tectonic
    plate sandstone crystal crust mantle moraine outcrop shale metamorphic feldspar earthquake seismic`,
};

export const SUBJECTS: readonly string[] = Object.keys(BANKS);
export const OTHER_SUBJECTS: readonly string[] = SUBJECTS.filter((subject) => subject !== TOPIC_SUBJECT);

const GENERAL = `people often time year first small large place work local good early late group system common important
  different simple local season weather member history method practice result question answer problem reason example
  number experience village family market price north south summer winter spring autumn morning evening water ground
  natural modern old new young strong careful usual special several many most best open quiet public private hand record
  note list order change begin keep find show use need learn read write follow choose try happen improve compare`
  .trim()
  .split(/\s+/);
const STOP = 'the of and to in a is for with that on as it by this are from at an be which'.split(' ');

const banks = new Map(SUBJECTS.map((subject) => [subject, BANKS[subject]!.trim().split(/\s+/)]));

/** Returns words that are frequent only in pages of a subject. */
export function contentWordsOf(subject: string): readonly string[] {
  return banks.get(subject)!;
}

/** Returns a random generator for one place of the park: equal names give equal draws. */
export function chanceOf(seed: number, ...names: readonly (string | number)[]): Random {
  return seededRandom(hash32(names.join('\n'), seed));
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Returns at most `n` distinct items, in the order drawn. */
export function sample<T>(items: readonly T[], n: number, random: Random): T[] {
  const left = [...items];
  const drawn: T[] = [];
  while (drawn.length < n && left.length > 0) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}

/** Returns an invented name such as `Velamor`. */
export function inventName(random: Random): string {
  const syllables = [
    'ba',
    'cor',
    'den',
    'el',
    'fin',
    'gar',
    'hol',
    'is',
    'ka',
    'lim',
    'mor',
    'nu',
    'os',
    'pel',
    'ril',
    'ta',
  ];
  const name = Array.from({ length: 3 }, () => pick(syllables, random)).join('');
  return name[0]!.toUpperCase() + name.slice(1);
}

/**
 * Returns paragraphs of about `words` words, a third of them from the subject. Each page favours some words and has
 * its own names, so that two pages of a subject differ like pages of a real site.
 */
export function prose(subject: string, words: number, random: Random): string[] {
  const favoured = sample(banks.get(subject)!, 18, random);
  const general = sample(GENERAL, 40, random);
  const names = [inventName(random), inventName(random), inventName(random)];
  const paragraphs: string[] = [];
  for (let left = words; left > 0; left -= 60)
    paragraphs.push(sentences(Math.min(60, left), { favoured, general, names }, random));
  return paragraphs;
}

interface Vocabulary {
  readonly favoured: readonly string[];
  readonly general: readonly string[];
  readonly names: readonly string[];
}

function sentences(words: number, { favoured, general, names }: Vocabulary, random: Random): string {
  const parts: string[] = [];
  for (let i = 0; i < words; i++) {
    const draw = random();
    const word =
      draw < 0.36
        ? pick(STOP, random)
        : draw < 0.68
          ? pick(favoured, random)
          : draw < 0.96
            ? pick(general, random)
            : pick(names, random);
    const begins = i % 12 === 0;
    const ends = i % 12 === 11 || i === words - 1;
    parts.push((begins ? word[0]!.toUpperCase() + word.slice(1) : word) + (ends ? '.' : ''));
  }
  return parts.join(' ');
}

/** Returns a title of three words of the subject. */
export function titleOf(subject: string, random: Random): string {
  return sample(banks.get(subject)!, 3, random).join(' ');
}
