import { expect, it, onTestFinished } from 'vitest';
import { DomainKind, type DomainStatus } from '../../src/rules/domains/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { getDesiredSettings } from '../../src/store/zone-settings.ts';
import { buildDomainSettings } from '../support/start-api.ts';

it('has the hosts of verified domains and of the platform domain only', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const create = async (org: string, name: string, state: DomainStatus['state']) => {
    const metadata = { namespace: `org-${org}`, name };
    await store.create(DomainKind, { metadata, spec: { name, kind: 'external', shared: false, token: 't' } });
    await store.updateStatus(DomainKind, metadata, () => ({ state, claimedAt: '2027-01-01T00:00:00Z' }));
  };
  await create('acme', 'verified.example', 'Verified');
  await create('acme', 'failed.example', 'Failed');
  await create('acme', 'waiting.example', 'WaitingForDns');
  await create('other', 'theirs.example', 'Verified');
  const domains = buildDomainSettings();
  const names = ['verified.example', 'failed.example', 'waiting.example', 'theirs.example', 'unknown.example'];
  const addresses = [...names, 'apps.example.net'].map((domain) => ({ domain, name: 'www' }));
  const settings = await getDesiredSettings(store, {
    org: 'acme',
    zone: { name: 'rc', promotionPolicy: 'automatic', addresses },
    address: 'https://rc.apps.example.net',
    domains,
  });
  expect(settings.ingress.hosts).toEqual(['rc.apps.example.net', 'www.verified.example', 'www.apps.example.net']);
});
