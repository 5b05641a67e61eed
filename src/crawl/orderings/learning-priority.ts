/**
 * Priority of a link in the learning phase, which goes depth first (BINGO! §2.6): the deeper link first; of links at one
 * depth the one whose page was more confident.
 * @param depth - links from the seed, an integer >= 0
 * @param confidence - calibrated, any real number
 * @returns in (depth, depth + 1)
 */
export function learningPriority(depth: number, confidence: number): number {
  return depth + 0.5 + Math.atan(confidence) / Math.PI;
}
