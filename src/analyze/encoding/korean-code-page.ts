const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Where EUC-KR has its own syllables: first bytes, and second ones. */
const OWN = { leads: [0xb0, 0xc8], trails: [0xa1, 0xfe] } as const;
/** Where Windows has the others: first bytes, and the second ones behind them. */
const FIRST_LEAD = 0x81;
const LAST_LEAD = 0xc6;
const TRAILS = [
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0x81, 0xfe],
] as const;
/** From this first byte on, second ones from here on belong to EUC-KR. */
const OWN_FROM = 0xa1;
/** Signs that came later. */
const SIGNS = [
  [0xa2e6, '€'],
  [0xa2e7, '®'],
] as const;

let known: ReadonlyMap<number, string> | undefined;

/**
 * Text in EUC-KR with the syllables that Windows adds to it: 샾 or 됬. Browsers read them under either name (WHATWG Encoding, index EUC-KR); ICU
 * makes two other characters of each.
 */
export function decodeKorean(body: Uint8Array): string {
  const decoder = new TextDecoder('euc-kr');
  known ??= addedTo(decoder);
  const parts: string[] = [];
  let copied = 0;
  for (let i = 0; i < body.length; i++) {
    if (body[i]! < FIRST_LEAD) continue;
    const syllable = known.get((body[i]! << 8) | (body[i + 1] ?? 0));
    if (syllable !== undefined) {
      parts.push(decoder.decode(body.subarray(copied, i)), syllable);
      copied = i + 2;
    }
    if (syllable !== undefined || body[i + 1]! >= OWN_FROM) i++;
  }
  return parts.length === 0 ? decoder.decode(body) : parts.join('') + decoder.decode(body.subarray(copied));
}

/** By their two bytes: the syllables that EUC-KR lacks, in the order of Unicode, and the signs. */
function addedTo(decoder: InstanceType<typeof TextDecoder>): ReadonlyMap<number, string> {
  const own = new Set<string>();
  for (let lead = OWN.leads[0]; lead <= OWN.leads[1]; lead++)
    for (let trail = OWN.trails[0]; trail <= OWN.trails[1]; trail++)
      own.add(decoder.decode(Uint8Array.of(lead, trail)));
  const places = addedPlaces();
  const added = new Map<number, string>(SIGNS);
  for (let unit = FIRST_SYLLABLE; unit <= LAST_SYLLABLE; unit++) {
    const syllable = String.fromCharCode(unit);
    if (!own.has(syllable)) added.set(places.next().value!, syllable);
  }
  return added;
}

function* addedPlaces(): Generator<number> {
  for (let lead = FIRST_LEAD; lead <= LAST_LEAD; lead++)
    for (const [first, last] of TRAILS)
      for (let trail = first; trail <= last && (lead < OWN_FROM || trail < OWN_FROM); trail++)
        yield (lead << 8) | trail;
}
