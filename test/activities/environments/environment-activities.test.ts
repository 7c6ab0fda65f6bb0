import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ServiceError } from '../../../src/errors.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import { ConfigMapKind, readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { DomainKind, type DomainStatus } from '../../../src/rules/domains/kinds.ts';
import { chartPath, zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { imageRegistryRef, toImageRegistryData } from '../../../src/rules/registries/image-registry.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
import { connectCodehost, createHarness, namespace, promotion, ref, release } from './environment-fixture.ts';
import { imagesRegistry as images } from '../../support/registries/images-registry.ts';

it('records a promotion on the Release and on the zone', async () => {
  const recorded = { ...ref, release, digest: 'sha256:1', attempt: { id: 'a1' } };
  const { activities, run, readZoneStatus } = await createHarness();
  await run(activities.recordPromotion, { ...recorded, patch: { phase: 'Promoting' } });
  expect(await readZoneStatus()).toMatchObject({
    currentPromotion: { release, version: 'v0.1.0', phase: 'Promoting' },
  });
  expect(await run(activities.readZone, ref)).toEqual({ requiresApproval: true, running: undefined });
  const healthyAt = '2026-01-01T00:00:00.000Z';
  await run(activities.recordPromotion, { ...recorded, patch: { phase: 'Healthy', healthyAt } });
  expect(await readZoneStatus()).toMatchObject({ release, version: 'v0.1.0', digest: 'sha256:1', healthyAt });
  expect(await run(activities.readZone, ref)).toMatchObject({ running: { release, version: 'v0.1.0' } });
});

it('writes the address under the platform domain that a platform admin has set meanwhile', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const readHosts = async () => (await readZoneStatus())?.appliedSettings?.ingress.hosts;
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost']);
  await store.create(InstallationKind, {
    metadata: installationRef,
    spec: { platformDomain: 'cloud.test', managedDomainRoots: [], signIn: { password: 'everyone' } },
  });
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual([`${ref.zone}.cloud.test`]);
});

it('merges a promotion into the gitops repo once and creates the Application', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const readValues = async () =>
    await (await codehost.forOrg('acme')).readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main');
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toEqual({ outcome: 'no-release' });
  expect(await readValues()).toContain('replicas: 1');
  expect(await readValues()).not.toContain('image');
  expect((await readZoneStatus())?.appliedSettings).toBeDefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeUndefined();
  const first = await run(activities.writePromotion, promotion);
  expect(first).toMatchObject({ outcome: 'promoted', pullRequest: { url: expect.any(String) } });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  expect(await readValues()).toContain('digest: "sha256:1"');
  expect((await readZoneStatus())?.appliedSettings).toBeDefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeDefined();
  const settings = await run(activities.writeZoneSettings, { ...ref, generation: 2 });
  expect(settings).toMatchObject({ outcome: 'promoted', digest: 'sha256:1' });
});

it('deploys the image of the registry that the Release was pushed to, and gives the zone its credentials', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const data = toRegistriesData([images, { ...images, name: 'other', host: 'other.test' }]);
  await store.create(SecretKind, { metadata: { namespace, name: registriesSecretName }, data });
  const installation = { ...images, host: 'installation.test', repositoryPrefix: undefined };
  const ofInstallation = toImageRegistryData({ push: installation, pull: installation, previous: [] });
  await store.create(SecretKind, { metadata: imageRegistryRef, data: ofInstallation });
  const readHosts = async (): Promise<string[]> => {
    const secret = await store.find(SecretKind, { namespace: ref.zone, name: 'registry-pull' });
    return Object.keys(JSON.parse(readSecretText(secret, '.dockerconfigjson') ?? '{}').auths);
  };
  const imageRepository = 'registry.test/acme/shop';
  await store.updateStatus(
    ReleaseKind,
    { namespace, name: release },
    ({ status }) => status && { ...status, imageRepository },
  );
  for (let round = 0; round < 2; round += 1) {
    expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
    expect(await readHosts()).toEqual(['installation.test', 'registry.test', 'registry.test/acme']);
  }
  const host = await codehost.forOrg('acme');
  const values = (await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')) ?? '';
  expect(parse(values).image).toMatchObject({ repository: imageRepository });
  expect(await readZoneStatus()).toMatchObject({ imageRepository });
});

it('writes no host under a domain that is not verified, and writes it again with the proof', async () => {
  const codehost = await connectCodehost();
  const zone = { addresses: [{ domain: 'shop.example', name: 'www' }] };
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost, zone });
  const domain = { namespace, name: 'shop.example' };
  const setState = async (state: DomainStatus['state']) =>
    await store.updateStatus(DomainKind, domain, () => ({ state, claimedAt: new Date().toISOString() }));
  const readHosts = async (): Promise<string[]> => {
    const { items } = await codehost.forOrg('acme').then(async (host) => ({
      items: parse((await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')) ?? '').ingress.hosts,
    }));
    expect((await readZoneStatus())?.appliedSettings?.ingress.hosts).toEqual(items);
    // The policy of the cluster admits exactly these.
    const { data } = await store.get(ConfigMapKind, { namespace: ref.zone, name: 'zone-hosts' });
    expect(data).toEqual({ hosts: items.join(',') });
    return items;
  };
  await store.create(DomainKind, {
    metadata: domain,
    spec: { name: 'shop.example', kind: 'external', shared: false, token: 't' },
  });
  await setState('Verified');
  await run(activities.writePromotion, promotion);
  expect(await readHosts()).toEqual(['shop-prod.localhost', 'www.shop.example']);
  await setState('Failed');
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost']);
  await setState('Verified');
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost', 'www.shop.example']);
});

it('writes settings again that changed meanwhile', async () => {
  const codehost = await connectCodehost();
  let isChanged = false;
  const changing: Codehost = {
    forOrg: async (org) => {
      const host = await codehost.forOrg(org);
      const mergePullRequest: typeof host.mergePullRequest = async (...input) => {
        const merged = await host.mergePullRequest(...input);
        if (isChanged) return merged;
        isChanged = true;
        const product = await harness.store.get(ProductKind, { namespace, name: 'shop' });
        const zones = product.spec.delivery.zones.map((zone) => ({ ...zone, replicas: 3 }));
        await harness.store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
        return merged;
      };
      return { ...host, mergePullRequest };
    },
  };
  const harness = await createHarness({ codehost: changing });
  await harness.run(harness.activities.writePromotion, promotion);
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toContain('replicas: 3');
  expect((await harness.readZoneStatus())?.appliedSettings?.replicas).toBe(3);
});

it('deploys nothing as long as the rules of the gitops repo block the merge', async () => {
  const { codehost, requestAsUser } = await connectShop();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
    required_status_checks: { strict: false, contexts: ['ci'] },
  });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'blocked' });
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toMatchObject({ outcome: 'blocked' });
  expect(await readZoneStatus()).toBeUndefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeUndefined();
});

it('opens no other pull request once a person has closed the blocked one, until the Release starts again', async () => {
  const { codehost, host, requestAsUser } = await connectShop();
  const { activities, run } = await createHarness({ codehost });
  await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
    required_status_checks: { strict: false, contexts: ['ci'] },
  });
  const findPull = async () => await host.findPullRequest('acme/shop', `service/shop/${ref.zone}/v0.1.0`);
  const blocked = await run(activities.writePromotion, promotion);
  const proposal = (await findPull())?.number ?? 0;
  expect(blocked).toMatchObject({ outcome: 'blocked', pullRequest: { number: proposal } });
  await host.closePullRequest('acme/shop', proposal);
  expect(await run(activities.writePromotion, { ...promotion, proposal })).toEqual({
    outcome: 'refused',
    message: `Pull request #${proposal} was closed without a merge.`,
    isClosed: true,
  });
  expect(await findPull()).toMatchObject({ number: proposal, state: 'closed' });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'blocked' });
  expect(await findPull()).toMatchObject({ state: 'open' });
});

it('opens no other pull request for settings once a person has closed the blocked one, until they are saved again', async () => {
  const { codehost, host, requestAsUser } = await connectShop();
  const { activities, run } = await createHarness({ codehost });
  await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
    required_status_checks: { strict: false, contexts: ['ci'] },
  });
  const settings = { ...ref, generation: 1 };
  const blocked = await run(activities.writeZoneSettings, settings);
  const findPull = async () => await host.findPullRequest('acme/shop', `service/shop/${ref.zone}/settings-1`);
  const proposal = (await findPull())?.number ?? 0;
  expect(blocked).toMatchObject({ outcome: 'blocked', pullRequest: { number: proposal } });
  await host.closePullRequest('acme/shop', proposal);
  expect(await run(activities.writeZoneSettings, { ...settings, proposal })).toMatchObject({
    outcome: 'refused',
    isClosed: true,
  });
  expect(await findPull()).toMatchObject({ number: proposal, state: 'closed' });
  expect(await run(activities.writeZoneSettings, settings)).toMatchObject({ outcome: 'blocked' });
  expect(await findPull()).toMatchObject({ state: 'open' });
});

it('closes the pull request of a promotion that was given up, also when repeated', async () => {
  const { codehost, host, requestAsUser } = await connectShop();
  const { activities, run } = await createHarness({ codehost });
  await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
    required_status_checks: { strict: false, contexts: ['ci'] },
  });
  const branch = `service/shop/${ref.zone}/v0.1.0`;
  await run(activities.closePromotionPullRequest, { ...ref, version: 'v0.1.0' });
  await run(activities.writePromotion, promotion);
  expect(await host.findPullRequest('acme/shop', branch)).toMatchObject({ state: 'open' });
  for (let time = 0; time < 2; time += 1) {
    await run(activities.closePromotionPullRequest, { ...ref, version: 'v0.1.0' });
    expect(await host.findPullRequest('acme/shop', branch)).toMatchObject({ state: 'closed', merged: false });
    expect(await host.findBranchHead('acme/shop', branch)).toBeUndefined();
  }
});

it('starts a zone empty that is added again while the removal of its files still needs a review', async () => {
  const { codehost, host, requestAsUser } = await connectShop();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const setZones = async (zones: ZoneSpec[]) => {
    const product = await store.get(ProductKind, { namespace, name: ref.product });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
  };
  const requireReviews = async (required_approving_review_count: number) =>
    await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
      required_pull_request_reviews: { required_approving_review_count },
    });
  const readApplication = async () => await store.find(ApplicationKind, { namespace, name: ref.zone });
  const readValues = async () => await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main');
  const { spec } = await store.get(ProductKind, { namespace, name: ref.product });
  await run(activities.writePromotion, promotion);
  await requireReviews(1);
  await setZones([]);
  const removing = run(activities.removeZone, { ...ref, by: 'ada' });
  await expect.poll(async () => (await readApplication())?.metadata.deletionTimestamp).toBeDefined();
  const application = await store.get(ApplicationKind, { namespace, name: ref.zone });
  await store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, finalizers: [] } });
  await removing;
  const branch = `service/shop/${ref.zone}/removal`;
  expect(await host.findPullRequest('acme/shop', branch)).toMatchObject({ state: 'open' });
  expect(await readValues()).toContain('digest: "sha256:1"');

  await setZones(spec.delivery.zones);
  const settings = { ...ref, generation: 3 };
  expect(await run(activities.writeZoneSettings, settings)).toMatchObject({ outcome: 'blocked' });
  expect(await host.findPullRequest('acme/shop', branch)).toMatchObject({ state: 'closed', merged: false });
  await requireReviews(0);
  expect(await run(activities.writeZoneSettings, settings)).toEqual({ outcome: 'no-release' });
  expect(await readValues()).toContain('replicas: 1');
  expect(await readValues()).not.toMatch(/image|release/);
  expect(await readApplication()).toBeUndefined();
  expect(await readZoneStatus()).not.toHaveProperty('release');
});

it('closes the open removal of a zone that is promoted before its settings are written', async () => {
  const { codehost, host } = await connectShop();
  const { activities, run } = await createHarness({ codehost });
  const base = (await host.findBranchHead('acme/shop', 'main')) ?? '';
  const branch = `service/shop/${ref.zone}/removal`;
  const changes = [{ path: zoneValuesPath('shop', ref.zone), content: 'replicas: 1\n' }];
  await host.commitFiles('acme/shop', { branch, base, message: 'remove', changes });
  const pull = { headBranch: branch, baseBranch: 'main', title: 'remove', body: '', draft: false };
  await host.openPullRequest('acme/shop', pull);
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  expect(await host.findPullRequest('acme/shop', branch)).toMatchObject({ state: 'closed', merged: false });
});

it('says what it waits for while the code host does not respond, and goes on when it does', async () => {
  const connected = await connectCodehost();
  let isAway = true;
  const forOrg: Codehost['forOrg'] = async (org) => {
    if (isAway) throw new ServiceError('codehost-unreachable', 'The code host cannot be reached.');
    return await connected.forOrg(org);
  };
  const { activities, run } = await createHarness({ codehost: { ...connected, forOrg } });
  const outage = { outcome: 'blocked', message: 'The code host cannot be reached.', needsPerson: false };
  expect(await run(activities.writePromotion, promotion)).toEqual({ ...outage, outage: 'codehost' });
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toEqual({ ...outage, outage: 'codehost' });
  isAway = false;
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
});

it('patches the state of a zone', async () => {
  const { activities, run, readZoneStatus } = await createHarness();
  const freeze = { by: 'ada', since: '2026-01-01T00:00:00.000Z', reason: 'Holidays' };
  await run(activities.recordZoneState, { ...ref, patch: { freeze } });
  expect(await readZoneStatus()).toEqual({ name: ref.zone, freeze });
  await run(activities.recordZoneState, { ...ref, patch: { freeze: null } });
  expect(await readZoneStatus()).toEqual({ name: ref.zone });
});

it('reads a zone that needs no approval, and one that is gone', async () => {
  const { activities, run } = await createHarness({ zone: { promotionPolicy: 'automatic' } });
  const nothing = { requiresApproval: false, running: undefined };
  expect(await run(activities.readZone, ref)).toEqual(nothing);
  expect(await run(activities.readZone, { ...ref, zone: 'gone' })).toEqual(nothing);
  expect(await run(activities.readZone, { ...ref, product: 'gone' })).toEqual(nothing);
  expect(await run(activities.isZoneDesired, ref)).toBe(true);
  expect(await run(activities.isZoneDesired, { ...ref, zone: 'gone' })).toBe(false);
});

it('removes the chart of a Product, and does without when the gitops repo is gone', async () => {
  const codehost = await connectCodehost();
  const { activities, run } = await createHarness({ codehost });
  await run(activities.writePromotion, promotion);
  const host = await codehost.forOrg('acme');
  expect(await host.listFiles('acme/shop', chartPath('shop'), 'main')).not.toEqual([]);
  for (let time = 0; time < 2; time += 1) await run(activities.removeProductChart, { org: 'acme', product: 'shop' });
  expect(await host.listFiles('acme/shop', chartPath('shop'), 'main')).toEqual([]);
  const forOrg = async () => await Promise.reject(new ServiceError('not-found', 'The repo is gone.'));
  const without = await createHarness({ codehost: { forOrg } });
  await without.run(without.activities.removeProductChart, { org: 'acme', product: 'shop' });
});

it('removes a zone that is no longer in the spec, and keeps one that was added again', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await run(activities.writePromotion, promotion);
  await run(activities.removeZone, { ...ref, by: 'ada' });
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeDefined();
  const product = await store.get(ProductKind, { namespace, name: 'shop' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
  const removal = run(activities.removeZone, { ...ref, by: 'ada' });
  await expect
    .poll(async () => (await store.find(ApplicationKind, { namespace, name: ref.zone }))?.metadata.deletionTimestamp)
    .toBeDefined();
  const application = await store.get(ApplicationKind, { namespace, name: ref.zone });
  await store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, finalizers: [] } });
  await removal;
  expect(await readZoneStatus()).toBeUndefined();
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toBeUndefined();
});
