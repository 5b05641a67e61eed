/**
 * Priority of a link in the learning phase, which goes depth first (BINGO! §2.6): the deeper link first; of links at one
 * depth the one whose page was more confident, each step of tunnelling making it less. A page unlike the topic counts as 0:
 * else its steps would raise what is below.
 * @param depth - links from the seed, an integer >= 0
 * @param confidence - calibrated, any real number
 * @param tunnelled - what the steps of tunnelling leave of it, in (0, 1]
 * @returns in [depth + 0.5, depth + 1)
 */
export function learningPriority(depth: number, confidence: number, tunnelled: number): number {
  return depth + 0.5 + Math.atan(Math.max(0, confidence) * tunnelled) / Math.PI;
}
