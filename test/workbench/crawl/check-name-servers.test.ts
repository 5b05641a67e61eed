import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULTS, topicTree } from '../../../src/core/index.ts';
import { checkNameServers } from '../../../src/workbench/crawl/check-name-servers.ts';
import { startTinyDns, type TinyDns } from '../../support/tiny-dns.ts';

const tree = topicTree([{ name: 'bikes', seeds: ['http://a.test/', 'http://b.test/'] }], []);
const NOBODY = '127.0.0.1:1';
let refusing: TinyDns;

beforeAll(async () => {
  refusing = await startTinyDns({ '*': { kind: 'error', code: 'REFUSED' } });
});
afterAll(() => refusing.close());

const check = (dnsServers: readonly string[], before?: readonly string[], of = tree): Promise<void> => {
  const settings = JSON.stringify(before === undefined ? {} : { network: { dnsServers: before } });
  const lastRun = async () => ({ sequence: 1, settings, topics: [] });
  return checkNameServers({ ...DEFAULTS.network, dnsServers }, of, { lastRun });
};

describe('name servers before a crawl', () => {
  it('are an error if none of them answers', async () => {
    await expect(check([NOBODY])).rejects.toMatchObject({ code: 'NAME_SERVERS_SILENT' });
    await expect(check([NOBODY], [refusing.address])).rejects.toMatchObject({ code: 'NAME_SERVERS_SILENT' });
  });

  it('are accepted if one of them answers, whatever the answer', async () => {
    await check([NOBODY, refusing.address]);
  });

  it('are waited for if they worked in the last run', async () => {
    await check([NOBODY], [NOBODY]);
  });

  it('are not queried if the crawl starts only at IP addresses', async () => {
    await check([NOBODY], [], topicTree([{ name: 'bikes', seeds: ['http://127.0.0.1:8080/'] }], []));
  });
});
