import { expect, it } from 'vitest';
import { listUsableDomains } from '../../src/reconcile/list-usable-domains.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

type CreateOptions = { state?: string; shared?: boolean; removalMessage?: string };

it('lists verified domains of the org, shared domains of the platform org, and the platform domain', async () => {
  const { deps, store } = await createReconcileDeps();
  const create = async (
    namespace: string,
    name: string,
    { state = 'Verified', shared = false, ...status }: CreateOptions = {},
  ) => {
    const metadata = { namespace, name };
    await store.create(DomainKind, { metadata, spec: { shared } as never });
    await store.updateStatus(
      DomainKind,
      metadata,
      () => ({ state, claimedAt: '2027-01-01T00:00:00Z', ...status }) as never,
    );
  };
  await create('org-acme', 'own.example');
  await create('org-acme', 'unverified.example', { state: 'WaitingForDns' });
  await create('org-acme', 'leaving.example', { removalMessage: 'its records are being removed' });
  await create('org-platform', 'shared.example', { shared: true });
  await create('org-platform', 'private.example');
  const usable = await listUsableDomains(store, 'acme', deps.config.domains);
  expect(usable.map(({ name }) => name)).toEqual(['apps.example.net', 'own.example', 'shared.example']);
});
