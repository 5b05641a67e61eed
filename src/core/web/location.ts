/**
 * Importance of a page by its address alone, IL (Cho 1998 §2): 1 / (1 + folders and names in the path), where a query
 * counts as one more name. The home page of a host has 1.
 */
export function locationImportance(url: string): number {
  if (!URL.canParse(url)) return 0;
  const { pathname, search } = new URL(url);
  const names = pathname.split('/').filter((name) => name !== '').length;
  return 1 / (1 + names + (search === '' ? 0 : 1));
}
