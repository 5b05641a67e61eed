/** Records of a block of `page_sum`: small enough for a chart of a long crawl, large enough to have few rows. */
export const SUM_BLOCK = 256;
/** Row of `meta` with the number of links. */
export const LINKS = 'links';
