export {
  type Curation,
  NO_CURATION,
  type Pinned,
  SECTIONS,
  type Section,
  THEMES,
  type TopicCuration,
} from './curation.ts';
export type { PortalRow, PortalSource, Thumbnail, ThumbnailSource } from './ports.ts';
export { PORTAL_LANGUAGES, wordNames } from './words.ts';
export { type PortalOptions, type PortalSummary, writePortal } from './write-portal.ts';
