export { isPublicAddress } from './address.ts';
export type { KnownVersion, NetworkSettings } from './asker.ts';
export { Resolver } from './dns/resolver.ts';
export { HttpFetcher } from './fetcher.ts';
export { askNamedOrigin, knock } from './named-origin.ts';
export type { Trouble } from './trouble.ts';
