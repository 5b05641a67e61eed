/**
 * Returns true if a robots.txt pattern (RFC 9309 §2.2.3) matches the start of a path: `*` matches anything, `$` at
 * the end matches the end. Linear: taking the leftmost match of each part is sufficient.
 * @param path path and query of a canonical URL
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const star = pattern.indexOf('*');
  // Nearly all rules end here, and a file may contain thousands.
  if (star < 0 && !anchored) return path.startsWith(pattern);
  if (star > 0 && !path.startsWith(pattern.slice(0, star))) return false;
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const last = pieces.length - 1;
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    if (i === last && anchored) {
      const start = path.length - piece.length;
      return start >= at && (i > 0 || start === 0) && path.endsWith(piece);
    }
    const found = path.indexOf(piece, at); // The first part is at the start, as checked above.
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}
