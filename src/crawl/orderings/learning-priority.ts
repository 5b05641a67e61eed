/**
 * Returns the priority of a link in the learning phase, which is depth-first (BINGO! §2.6). Deeper links go first. At
 * equal depth, links of the more confident page go first, reduced with each tunnelling step. A page unlike the topic
 * counts as 0; otherwise tunnelling would increase a negative confidence.
 * @param depth - number of links from the seed, an integer >= 0
 * @param confidence - calibrated, any real number
 * @param tunnelled - the factor that remains after the tunnelling steps, in (0, 1]
 * @returns in [depth + 0.5, depth + 1)
 */
export function learningPriority(depth: number, confidence: number, tunnelled: number): number {
  return depth + 0.5 + Math.atan(Math.max(0, confidence) * tunnelled) / Math.PI;
}
