import { expect, it } from 'vitest';
import { InstallationKind, installationRef, type InstallationSpec } from '../../src/rules/installation/kinds.ts';
import { readDomainSettings, readPasswordSignIn, readZoneAddress } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { buildDomainSettings } from '../support/start-api.ts';

const first = {
  ...buildDomainSettings(),
  platformDomain: 'first.example',
  managedBaseDomains: ['first-root.example'],
};

/** Reads the settings that apply, as the platform domain, the managed roots, the address of a zone and the sign-in. */
async function readSettings(store: Store) {
  const { platformDomain, managedBaseDomains } = await readDomainSettings(store, first);
  const address = await readZoneAddress(store, (zone) => `https://${zone}.first.example`);
  return [platformDomain, managedBaseDomains.join(), address('shop'), await readPasswordSignIn(store, 'everyone')];
}

const ofEnvironment = ['first.example', 'first-root.example', 'https://shop.first.example', 'everyone'];
const buildSpec = (domain: string): InstallationSpec => ({
  platformDomain: domain,
  managedDomainRoots: [`root.${domain}`],
  signIn: { password: 'platform-admins' },
});
const toSettings = (domain: string) => [domain, `root.${domain}`, `https://shop.${domain}`, 'platform-admins'];

async function setAccepted(store: Store, status: 'True' | 'False', accepted?: InstallationSpec): Promise<void> {
  const lastTransitionTime = '2027-01-01T00:00:00Z';
  const condition = {
    type: 'Accepted',
    status,
    reason: 'Test',
    message: '',
    observedGeneration: 1,
    lastTransitionTime,
  };
  await store.updateStatus(InstallationKind, installationRef, () => ({
    conditions: [condition],
    ...(accepted && { accepted }),
  }));
}

it('reads the settings of the environment until there is an Installation', async () => {
  const store = openTestStore();
  expect(await readSettings(store)).toEqual(ofEnvironment);
  await store.create(InstallationKind, { metadata: installationRef, spec: buildSpec('apps.example') });
  expect(await readSettings(store)).toEqual(toSettings('apps.example'));
  await setAccepted(store, 'True', buildSpec('old.example'));
  expect(await readSettings(store)).toEqual(toSettings('apps.example'));
});

it('reads the last valid settings while an Installation is rejected, and until then those of the environment', async () => {
  const store = openTestStore();
  await store.create(InstallationKind, { metadata: installationRef, spec: buildSpec('wrong.example') });
  await setAccepted(store, 'False');
  expect(await readSettings(store)).toEqual(ofEnvironment);
  await setAccepted(store, 'False', buildSpec('valid.example'));
  expect(await readSettings(store)).toEqual(toSettings('valid.example'));
});
