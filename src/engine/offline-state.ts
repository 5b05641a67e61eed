import { HostClocks } from '../crawl/index.ts';
import { FoldedState, type FoldedStatePorts } from './folded-state.ts';

/** What folding needs if no crawl runs in this process. */
export type OfflinePorts = Pick<
  FoldedStatePorts,
  'tree' | 'topics' | 'config' | 'inline' | 'backlinks' | 'journal' | 'checkpoints' | 'onRead' | 'isWanted'
>;

/** Returns a state that can be read from the journal without network, clocks and fetches. */
export function offlineState(ports: OfflinePorts): FoldedState {
  const { config } = ports;
  return new FoldedState({
    ...ports,
    hosts: new HostClocks({ ...config.network, maxTries: config.crawl.maxTries, meetAlone: config.network.robots }),
    isExact: true,
    now: () => 0,
    steadyNow: () => 0,
    resolve: async () => true,
    wake: () => {},
  });
}
