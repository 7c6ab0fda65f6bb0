import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { cloneSecretName } from '../../../activities/codehost/git-credentials.ts';
import { createReleaseActivities } from '../../../activities/releases/release-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';

const namespace = 'org-acme';

async function startBuild(
  environment: Record<string, string> = {},
  ownSecret?: Record<string, string>,
  registries: Registry[] = [],
) {
  const { codehost } = await connectShop();
  const store = openTestStore();
  const { imageRepository, buildStrategy, registry, network } = loadConfig(environment);
  const { buildImage } = createReleaseActivities({
    store,
    codehost,
    imageRepository,
    buildStrategy,
    registry,
    network,
    now: () => new Date(),
  });
  await store.create(ReleaseKind, {
    metadata: { namespace, name: 'shop-v0.1.0' },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' },
  });
  if (ownSecret)
    await store.create(SecretKind, {
      metadata: { namespace, name: 'registry-push' },
      data: toSecretData(ownSecret),
    });
  if (registries.length > 0)
    await store.create(SecretKind, {
      metadata: { namespace, name: registriesSecretName },
      data: toRegistriesData(registries),
    });
  const activity = new MockActivityEnvironment();
  const building = activity.run(buildImage, { org: 'acme', release: 'shop-v0.1.0', attempt: 'attempt1' });
  onTestFinished(async () => {
    activity.cancel();
    await building.catch(() => undefined);
  });
  const ref = { namespace, name: 'shop-v0.1.0-attempt1' };
  const { spec } = await expect
    .poll(() => store.find(BuildRunKind, ref))
    .toBeDefined()
    .then(async () => await store.get(BuildRunKind, ref));
  return { store, build: spec.build.spec };
}

it('builds with the strategy of the setting, and with a Secret that clones the repo', async () => {
  const { store, build } = await startBuild({ BUILD_STRATEGY: 'kaniko' });
  expect(build.strategy).toEqual({ name: 'kaniko', kind: 'ClusterBuildStrategy' });
  expect(build.source.git.cloneSecret).toBe(cloneSecretName('acme/shop'));
  expect(await store.find(SecretKind, { namespace, name: cloneSecretName('acme/shop') })).toBeDefined();
  expect(build.output).toEqual({ image: 'registry.local/acme/shop:v0.1.0' });
});

it('pushes with the credentials of the setting, or with those of the org', async () => {
  const credentials = '{"auths":{"registry.test":{"auth":"eA=="}}}';
  const { store, build } = await startBuild({ REGISTRY_PUSH_CREDENTIALS: credentials });
  expect(build.output.pushSecret).toBe('registry-push');
  expect(await store.get(SecretKind, { namespace, name: 'registry-push' })).toMatchObject({
    data: toSecretData({ '.dockerconfigjson': credentials }),
  });
  const own = await startBuild({}, { '.dockerconfigjson': '{"auths":{}}' });
  expect(own.build.output.pushSecret).toBe('registry-push');
});

it('builds with the credentials of the registries that the org has connected', async () => {
  const { store, build } = await startBuild({}, undefined, [
    {
      name: 'images',
      host: 'registry.test',
      username: 'ada',
      password: 'correct-horse',
      lastCheck: { access: 'pull', at: '2026-11-25T08:00:00.000Z' },
    },
  ]);
  expect(build.output.pushSecret).toBe('registry-push');
  const auth = Buffer.from('ada:correct-horse').toString('base64');
  expect(await store.get(SecretKind, { namespace, name: 'registry-push' })).toMatchObject({
    type: 'kubernetes.io/dockerconfigjson',
    data: toSecretData({ '.dockerconfigjson': JSON.stringify({ auths: { 'registry.test': { auth } } }) }),
  });
});
