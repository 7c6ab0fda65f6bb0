import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { cloneSecretName, repoAnnotation } from '../../../activities/codehost/git-credentials.ts';
import { createReleaseActivities } from '../../../activities/releases/release-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { ServiceError } from '../../../src/errors.ts';
import {
  NetworkPolicyKind,
  readSecretText,
  SecretKind,
  ServiceAccountKind,
  toSecretData,
} from '../../../src/kinds/kubernetes.ts';
import type { Registries } from '../../../src/integrations/registries/registries.ts';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { imagesRegistry as images } from '../../support/registries/images-registry.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';

const namespace = 'org-acme';

async function prepareBuild(
  environment: Record<string, string> = {},
  ownSecret?: Record<string, string>,
  registries: Registry[] = [],
  { named, check = async () => 'pull-and-push' }: { named?: string; check?: Registries['check'] } = {},
) {
  const { codehost } = await connectShop();
  const store = openTestStore();
  const { imageRepository, buildStrategy, registry, network, quotas } = loadConfig(environment);
  const { buildImage } = createReleaseActivities({
    store,
    codehost,
    imageRepository,
    buildStrategy,
    registry,
    registries: { check },
    network,
    quotas,
    now: () => new Date(),
  });
  await store.create(ReleaseKind, {
    metadata: { namespace, name: 'shop-v0.1.0' },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: 'shop-v0.1.0' }, () => ({
    phase: 'Building' as const,
    zones: [],
  }));
  const spec = { repos: ['acme/shop'], delivery: { zones: [], ...(named !== undefined && { registry: named }) } };
  await store.create(ProductKind, { metadata: { namespace, name: 'shop' }, spec });
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
  const ref = { namespace, name: 'shop-v0.1.0-attempt1' };
  const run = (release = 'shop-v0.1.0') => {
    const activity = new MockActivityEnvironment();
    const outcome = activity.run(buildImage, { org: 'acme', release, attempt: 'attempt1' });
    onTestFinished(async () => {
      activity.cancel();
      await outcome.catch(() => undefined);
    });
    return outcome;
  };
  const readBuild = async () => (await store.find(BuildRunKind, ref))?.spec.build.spec;
  const readRepository = async () =>
    (await store.get(ReleaseKind, { namespace, name: 'shop-v0.1.0' })).status?.imageRepository;
  return { store, ref, run, readBuild, readRepository };
}

async function startBuild(...args: Parameters<typeof prepareBuild>) {
  const prepared = await prepareBuild(...args);
  const outcome = prepared.run();
  await expect.poll(prepared.readRepository).toBeDefined();
  const build = await prepared.readBuild();
  if (!build) throw new Error('no build');
  return { ...prepared, build, outcome };
}

const adaAuth = Buffer.from('ada:correct-horse').toString('base64');

it('builds the commit of the Release once, and returns the digest', async () => {
  const { store, outcome, run, ref, build } = await startBuild();
  const { metadata, spec } = await store.get(BuildRunKind, ref);
  const release = await store.get(ReleaseKind, { namespace, name: 'shop-v0.1.0' });
  expect(metadata).toMatchObject({
    annotations: { [repoAnnotation]: 'acme/shop' },
    ownerReferences: [{ uid: release.metadata.uid }],
  });
  expect(build.source.git).toMatchObject({ url: expect.stringContaining('acme/shop'), revision: 'c1' });
  expect(await store.find(NetworkPolicyKind, { namespace, name: 'builds' })).toBeDefined();
  expect(await store.find(ServiceAccountKind, { namespace, name: spec.serviceAccount ?? '' })).toMatchObject({
    automountServiceAccountToken: false,
  });
  const repeated = run();
  await store.updateStatus(BuildRunKind, ref, () => ({
    conditions: [{ type: 'Succeeded', status: 'True' as const }],
    output: { digest: 'sha256:1' },
  }));
  const built = { outcome: 'built', digest: 'sha256:1' };
  expect(await Promise.all([outcome, repeated])).toEqual([built, built]);
  expect((await store.list(BuildRunKind, { namespace })).items).toHaveLength(1);
});

it('cancels a build that was created while its Release was cancelled', async () => {
  const { store, run, ref } = await startBuild();
  const readState = async () => (await store.get(BuildRunKind, ref)).spec.state;
  expect(await readState()).toBeUndefined();
  await store.updateStatus(ReleaseKind, { namespace, name: 'shop-v0.1.0' }, () => ({
    phase: 'Cancelled' as const,
    zones: [],
  }));
  void run();
  await expect.poll(readState).toBe('BuildRunCanceled');
});

it('builds again when a person deletes the build, instead of waiting for it', async () => {
  const { store, run, ref, outcome } = await startBuild();
  const { uid } = (await store.get(BuildRunKind, ref)).metadata;
  await store.delete(BuildRunKind, ref);
  await expect(outcome).rejects.toThrow(/build "shop-v0.1.0-attempt1" was deleted/);
  void run();
  await expect.poll(async () => await store.find(BuildRunKind, ref)).toBeDefined();
  expect((await store.get(BuildRunKind, ref)).metadata.uid).not.toBe(uid);
});

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

it('pushes to the registry that the Product names, and not with the credentials of the installation', async () => {
  const environment = {
    REGISTRY_PUSH_CREDENTIALS: '{"auths":{"installation.test":{"auth":"cHVzaA=="}}}',
    REGISTRY_PULL_CREDENTIALS: '{"auths":{"installation.test":{"auth":"cHVsbA=="}}}',
  };
  const { store, ref, build, run, readBuild, readRepository } = await startBuild(environment, undefined, [images], {
    named: 'images',
  });
  expect(build.output).toEqual({ image: 'registry.test/acme/shop:v0.1.0', pushSecret: 'registry-push-org' });
  expect(await readRepository()).toBe('registry.test/acme/shop');
  expect(await store.find(SecretKind, { namespace, name: 'registry-push' })).toBeUndefined();
  const secret = await store.get(SecretKind, { namespace, name: 'registry-push-org' });
  const auth = { auth: adaAuth };
  expect(JSON.parse(readSecretText(secret, '.dockerconfigjson') ?? '')).toEqual({
    auths: { 'installation.test': { auth: 'cHVsbA==' }, 'registry.test': auth, 'registry.test/acme': auth },
  });

  // A retry watches the build that it finds, although the Product now pushes elsewhere.
  const product = await store.get(ProductKind, { namespace, name: 'shop' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
  await store.updateStatus(BuildRunKind, ref, () => ({
    conditions: [{ type: 'Succeeded', status: 'True' as const, reason: 'Succeeded', message: '' }],
    output: { digest: 'sha256:1' },
  }));
  expect(await run()).toEqual({ outcome: 'built', digest: 'sha256:1' });
  expect((await readBuild())?.output).toEqual(build.output);
  expect(await readRepository()).toBe('registry.test/acme/shop');
});

it('gives a build the push Secret of its own destination only, although the builder leaves each at its account', async () => {
  const { store, run } = await prepareBuild({ REGISTRY_PUSH_CREDENTIALS: '{"auths":{}}' }, undefined, [images], {
    named: 'images',
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: 'blog' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] } },
  });
  const spec = { product: 'blog', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' };
  await store.create(ReleaseKind, { metadata: { namespace, name: 'blog-v0.1.0' }, spec });
  /** Shipwright adds the Secret to the account, and Tekton gives a build all Secrets of its account. */
  const build = async (release: string): Promise<string[]> => {
    void run(release);
    const ref = { namespace, name: `${release}-attempt1` };
    await expect.poll(async () => await store.find(BuildRunKind, ref)).toBeDefined();
    const { serviceAccount: name = '', build: inline } = (await store.get(BuildRunKind, ref)).spec;
    const account = await store.get(ServiceAccountKind, { namespace, name });
    const secrets = [...(account.secrets ?? []), { name: String(inline.spec.output.pushSecret) }];
    await store.replace(ServiceAccountKind, { ...account, secrets });
    return secrets.map((secret) => secret.name);
  };
  expect(await build('blog-v0.1.0')).toEqual(['registry-push']);
  expect(await build('shop-v0.1.0')).toEqual(['registry-push-org']);
});

const rejected = new ServiceError(
  'registry-setting-invalid',
  'The registry registry.test rejected the account "ada".',
  {
    errors: [{ pointer: '/password', detail: 'was rejected' }],
  },
);
const refuse = async (): Promise<never> => await Promise.reject(rejected);

it.each([
  ['a registry that refuses the credentials', [images], refuse, /"images". The registry registry.test rejected/],
  ['a registry that only lets pull', [images], async () => 'pull' as const, /lets the account "ada" pull but not push/],
  ['a registry that the org does not have', [], undefined, /the registry "images", which the org does not have/],
])('builds nothing for %s, and says how to fix it', async (_case, registries, check, reason) => {
  const { run, readBuild } = await prepareBuild({}, undefined, registries, {
    named: 'images',
    ...(check && { check }),
  });
  expect(await run()).toEqual({
    outcome: 'failed',
    reason: expect.stringMatching(reason),
    fix: expect.stringContaining('start the Release again'),
  });
  expect(await readBuild()).toBeUndefined();
});

it('says that the registry refuses the credentials when it began to while the build ran', async () => {
  let checks = 0;
  const check = async () => ((checks += 1) === 1 ? ('pull-and-push' as const) : await refuse());
  const { store, ref, outcome } = await startBuild({}, undefined, [images], { named: 'images', check });
  await store.updateStatus(BuildRunKind, ref, () => ({
    conditions: [{ type: 'Succeeded', status: 'False' as const, reason: 'Failed', message: 'UNAUTHORIZED' }],
  }));
  expect(await outcome).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('rejected the account') });
});

it('lets a build try a registry that cannot be reached now', async () => {
  const unreachable = new ServiceError('registry-setting-invalid', 'It cannot be reached.', {
    errors: [{ pointer: '/host', detail: 'cannot be reached' }],
  });
  const { build } = await startBuild({}, undefined, [images], {
    named: 'images',
    check: async () => await Promise.reject(unreachable),
  });
  expect(build.output.pushSecret).toBe('registry-push-org');
});
