import { expect, it } from 'vitest';
import { ensureInstallation } from '../../src/reconcile/ensure-installation.ts';
import { InstallationKind, installationRef } from '../../src/rules/installation/kinds.ts';
import { buildDomainSettings } from '../support/start-api.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('creates the Installation from the first values, once: afterwards the environment no longer counts', async () => {
  const { store } = await createReconcileDeps();
  const first = { domains: buildDomainSettings(), passwordSignIn: 'everyone' as const };
  const created = await Promise.all([ensureInstallation(store, first), ensureInstallation(store, first)]);
  expect(created[0]?.metadata.uid).toBe(created[1]?.metadata.uid);
  const later = { ...first, domains: buildDomainSettings({ managedBaseDomains: [] }) };
  await ensureInstallation(store, later);
  expect((await store.get(InstallationKind, installationRef)).spec).toEqual({
    platformDomain: 'apps.example.net',
    managedDomainRoots: ['managed.test'],
    signIn: { password: 'everyone' },
  });
});
