import type { Dns } from '../../../src/integrations/dns/dns.ts';
import type { Observation } from '../../../src/rules/domains/observation.ts';

/** Creates a DNS client that answers from the given records; the test may change them at any time. */
export function createFakeDns() {
  const texts: Record<string, string> = {};
  const addresses: Record<string, string> = {};
  const observe = (record: string | undefined): Observation<string> => ({
    outcome: record === undefined ? 'absent' : 'found',
    records: record === undefined ? [] : [record],
    authoritative: true,
    server: 'ns1.test',
    response: 'says NXDOMAIN',
    at: new Date(0).toISOString(),
    aliases: [],
  });
  const dns: Dns = {
    lookupTxt: async (name) => observe(texts[name]),
    lookupAddresses: async (name) => observe(addresses[name] ?? addresses[name.replace(/^[^.]+/, '*')]),
    lookupCaa: async () => ({ ...observe(undefined), records: [] }),
    close: async () => {},
  };
  return { dns, texts, addresses };
}
