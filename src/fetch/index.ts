export { isPublicAddress } from './address.ts';
export { Resolver } from './dns/resolver.ts';
export type { Trouble } from './fetch-error.ts';
export { HttpFetcher } from './fetcher.ts';
export type { KnownVersion, NetworkSettings } from './http-client.ts';
export { askNamedOrigin, knock } from './service-request.ts';
