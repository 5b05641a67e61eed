export type { PortalRow, PortalSource } from './ports.ts';
export { type PortalOptions, type PortalSummary, writePortal } from './write-portal.ts';
