import { expect, it } from 'vitest';
import { checkSettings } from '../../../api/installation/check-settings.ts';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import { type DomainStatus, DomainKind } from '../../../src/rules/domains/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

type Held = { name: string; kind: 'managed' | 'external'; state: DomainStatus['state'] };
const at = '2026-01-01T00:00:00.000Z';

/** Checks the root "sites.test" while orgs hold these domains; no DNS server answers. */
async function checkRoot(...held: Held[]) {
  const store = openTestStore();
  for (const { name, kind, state } of held) {
    const metadata = { namespace: 'org-acme', name };
    await store.create(DomainKind, { metadata, spec: { name, kind, shared: false, token: 'token' } });
    await store.updateStatus(DomainKind, metadata, () => ({ state, message: 'It is so.', claimedAt: at }));
  }
  const dns = createDns({ resolvers: ['127.0.0.1:1'], timeoutMs: 100, allowedInside: [], now: () => new Date(at) });
  const spec = { managedDomainRoots: ['sites.test'], signIn: { password: 'everyone' as const } };
  const findings = await checkSettings({ store, dns } as never, spec);
  await dns.close();
  return findings;
}

const verified: Held = { name: 'shop.sites.test', kind: 'managed', state: 'Verified' };

it('is sure of a root once a managed domain under it is verified', async () => {
  const message = expect.stringContaining('shop.sites.test is verified') as string;
  expect(await checkRoot({ ...verified, name: 'a.other.test' }, verified)).toEqual([
    { subject: 'managed-domain-root', name: 'sites.test', result: 'ok', message },
  ]);
});

it.each<[which: string, held: Held]>([
  ['is under another root', { ...verified, name: 'shop.other.test' }],
  ['is not verified', { ...verified, state: 'WaitingForDns' }],
  ['an org has at its own DNS provider', { ...verified, kind: 'external' }],
])('concludes nothing from a domain that %s', async (_, held) => {
  expect(await checkRoot(held)).toMatchObject([{ name: 'sites.test', result: 'warning' }]);
});
