import { expect, it, onTestFinished } from 'vitest';
import { DomainKind, type DomainStatus } from '../../src/rules/domains/kinds.ts';
import { listOrgDomains } from '../../src/store/org-domains.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

it('lists domains in every state with their owner', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  type Options = Pick<Partial<DomainStatus>, 'state' | 'removalMessage'> & { shared?: boolean };
  const create = async (org: string, name: string, { shared = false, state = 'Verified', ...rest }: Options) => {
    const metadata = { namespace: `org-${org}`, name };
    await store.create(DomainKind, { metadata, spec: { name, kind: 'external', shared, token: 't' } });
    await store.updateStatus(DomainKind, metadata, () => ({ state, claimedAt: '2027-01-01T00:00:00Z', ...rest }));
  };
  await create('acme', 'failed.example', { state: 'Failed' });
  await create('acme', 'leaving.example', { removalMessage: 'it is being removed' });
  await create('platform', 'private.example', {});
  await create('platform', 'shared.example', { shared: true });
  const settings = { platformOrg: 'platform', platformDomain: 'apps.example.net' };
  const list = async (org: string, of: Parameters<typeof listOrgDomains>[2] = settings) =>
    (await listOrgDomains(store, org, of)).map(({ name, owner, isVerified, isLeaving }) =>
      [name, owner, isVerified && 'verified', isLeaving && 'leaving'].filter(Boolean).join(' '),
    );
  expect(await list('acme')).toEqual([
    'apps.example.net verified',
    'failed.example acme',
    'leaving.example acme verified leaving',
    'shared.example platform verified',
  ]);
  expect(await list('platform')).toEqual([
    'apps.example.net verified',
    'private.example platform verified',
    'shared.example platform verified',
  ]);
  expect(await list('other', { platformOrg: undefined, platformDomain: undefined })).toEqual([]);
});
