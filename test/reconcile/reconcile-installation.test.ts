import { expect, it } from 'vitest';
import { reconcileInstallation } from '../../src/reconcile/reconcile-installation.ts';
import { InstallationKind, installationRef, type InstallationSpec } from '../../src/rules/installation/kinds.ts';
import { readDomainSettings, readPasswordSignIn, readZoneAddress } from '../../src/store/installation.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const spec: InstallationSpec = { managedDomainRoots: ['sites.example.org'], signIn: { password: 'everyone' } };

it.each<[description: string, name: string, spec: InstallationSpec, roots: string[], message: string]>([
  ['a valid one counts', 'installation', spec, ['sites.example.org'], 'valid'],
  ['another name has no effect', 'other', spec, ['managed.test'], 'must be "installation"'],
  [
    'an upper-case root is rejected, and the first values count',
    'installation',
    { ...spec, managedDomainRoots: ['Sites.example.org'] },
    ['managed.test'],
    '/spec/managedDomainRoots/0 must be written as "sites.example.org"',
  ],
])('%s', async (_, name, written, roots, message) => {
  const { deps, store } = await createReconcileDeps();
  const metadata = { ...installationRef, name };
  await reconcileInstallation(deps, await store.create(InstallationKind, { metadata, spec: written }));
  const { status } = await store.get(InstallationKind, metadata);
  expect(status?.conditions?.[0]?.message).toContain(message);
  expect((await readDomainSettings(store, deps.config.domains)).managedBaseDomains).toEqual(roots);
});

it('keeps the last valid settings in effect while kubectl has written invalid ones', async () => {
  const { deps, store } = await createReconcileDeps();
  const reconcile = async (): Promise<void> =>
    await reconcileInstallation(deps, await store.get(InstallationKind, installationRef));
  const written: InstallationSpec = {
    ...spec,
    platformDomain: 'apps.example.com',
    signIn: { password: 'platform-admins' },
  };
  await store.create(InstallationKind, { metadata: installationRef, spec: written });
  await reconcile();
  await reconcile();
  const valid = await store.get(InstallationKind, installationRef);
  await store.replace(InstallationKind, { ...valid, spec: { ...spec, managedDomainRoots: ['Sites.example.org'] } });
  await reconcile();
  await reconcile();
  expect((await store.get(InstallationKind, installationRef)).status).toMatchObject({
    accepted: written,
    conditions: [{ type: 'Accepted', status: 'False' }],
  });
  expect(await readDomainSettings(store, deps.config.domains)).toMatchObject({
    platformDomain: 'apps.example.com',
    managedBaseDomains: ['sites.example.org'],
  });
  expect(await readPasswordSignIn(store, 'everyone')).toBe('platform-admins');
  expect((await readZoneAddress(store, deps.config.zoneAddress))('shop')).toContain('shop.apps.example.com');
});
