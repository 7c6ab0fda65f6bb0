import { expect, it } from 'vitest';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import type { ServiceError } from '../../src/errors.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { ProductKind, type ProductSpec } from '../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../src/rules/registries/registries-secret.ts';
import type { RegistryAccess } from '../../src/rules/registries/registry.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const volume = (name: string, path: string) => ({ name, path, size: '1Gi' });
const zone = (name: string, more: object = {}) => ({ name, ...more });

it.each([
  ['a duplicate zone', { zones: [zone('rc'), zone('rc')] }, '/spec/delivery/zones/1/name', 'is a duplicate'],
  ['a namespace of the cluster', { zones: [zone('argocd')] }, '/spec/delivery/zones/0/name', 'is reserved'],
  ['a name of the installation', { zones: [zone('login')] }, '/spec/delivery/zones/0/name', 'is reserved'],
  [
    'an address of the installation',
    { zones: [zone('rc', { addresses: [{ name: 'status', domain: 'apps.example.net' }] })] },
    '/spec/delivery/zones/0/addresses/0/name',
    'is reserved',
  ],
  [
    'an unknown cluster',
    { zones: [zone('rc', { cluster: 'x' })] },
    '/spec/delivery/zones/0/cluster',
    'is not a workload cluster of this installation: choose one of apart',
  ],
  ['a gitops repo', { repos: ['acme/a', 'Acme/Gitops'] }, '/spec/repos/1', 'is the gitops repo of an org'],
  [
    'volumes with the same name',
    { zones: [zone('rc', { volumes: [volume('data', '/a'), volume('data', '/b')] })] },
    '/spec/delivery/zones/0/volumes/1/name',
    'is a duplicate',
  ],
  ['a duplicate repo', { repos: ['acme/a', 'Acme/A'] }, '/spec/repos/1', 'is a duplicate'],
  ['the repo of another Product', { repos: ['acme/taken'] }, '/spec/repos/0', 'already belongs to the Product "other"'],
  [
    'an address under a domain that is not verified',
    { zones: [zone('rc', { addresses: [{ name: 'www', domain: 'example.com' }] })] },
    '/spec/delivery/zones/0/addresses/0/domain',
    'is not a verified domain',
  ],
])('rejects %s', async (_case, { zones = [], repos = [] }: { zones?: object[]; repos?: string[] }, pointer, detail) => {
  const { deps, store } = await createReconcileDeps();
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'other' },
    spec: { repos: ['acme/taken'], delivery: { zones: [] } } as never,
  });
  const spec = { repos, delivery: { zones } } as never;
  await expect(assertValidProduct(deps, { org: 'acme', name: 'shop', spec })).rejects.toMatchObject({
    reason: 'invalid',
    errors: [{ pointer, detail: expect.stringContaining(detail) as string }],
  });
});

it('keeps a volume at least as large as it is in the zone', async () => {
  const { deps, store } = await createReconcileDeps();
  const toSpec = (size: string) =>
    ({
      repos: [],
      delivery: { zones: [zone('shop-rc', { volumes: [{ ...volume('data', '/data'), size }] })] },
    }) as never;
  const metadata = { namespace: 'org-acme', name: 'shop' };
  await store.create(ProductKind, { metadata, spec: toSpec('1Gi') });
  const persistence = [{ name: 'data', size: '1Gi', mountPath: '/data' }];
  const ingress = { hosts: [], access: 'none' as const };
  const appliedSettings = { replicas: 1, ingress, resources: {}, persistence, strategy: 'Recreate' as const };
  await store.updateStatus(ProductKind, metadata, () => ({ zones: [{ name: 'shop-rc', appliedSettings }] }));
  const check = async (size: string) =>
    await assertValidProduct(deps, { org: 'acme', name: 'shop', spec: toSpec(size) });
  await expect(check('512Mi')).rejects.toMatchObject({
    errors: [{ pointer: '/spec/delivery/zones/0/volumes/0/size', detail: expect.stringMatching(/smaller than 1Gi/) }],
  });
  await check('2Gi');
});

it('keeps a zone in its cluster, also when that one is no longer configured', async () => {
  const { deps, store } = await createReconcileDeps();
  const toSpec = (cluster?: string) => ({ repos: [], delivery: { zones: [zone('shop-rc', { cluster })] } }) as never;
  const validate = async (spec: never, before?: ProductSpec, workloadClusters?: string[]) =>
    await assertValidProduct(
      { ...deps, config: { ...deps.config, ...(workloadClusters && { workloadClusters }) } },
      { org: 'acme', name: 'shop', spec, ...(before && { before }) },
    );
  await expect(validate(toSpec('apart'))).resolves.toBeUndefined();
  await expect(validate(toSpec('apart'), toSpec('apart'), [])).resolves.toBeUndefined();
  await expect(validate(toSpec('apart'), toSpec())).rejects.toThrow(
    'cannot change: remove the zone "shop-rc" and add it again',
  );
  await expect(validate(toSpec('apart'), undefined, [])).rejects.toThrow('of this installation: leave it out');
  await store.create(ClusterKind, { metadata: { namespace: 'service-system', name: 'far' }, spec: {} });
  await expect(validate(toSpec('far'))).resolves.toBeUndefined();
  await expect(validate(toSpec('apart'), undefined, [])).rejects.toThrow('of this installation: choose one of far');
});

it('lets a Product keep its own repos and zones', async () => {
  const { deps, store } = await createReconcileDeps();
  const spec = { repos: ['acme/shop'], delivery: { zones: [zone('shop-rc')] } } as never;
  await store.create(ProductKind, { metadata: { namespace: 'org-acme', name: 'shop' }, spec });
  await expect(assertValidProduct(deps, { org: 'acme', name: 'shop', spec, before: spec })).resolves.toBeUndefined();
});

it('accepts a registry of the org to which builds can push, and keeps one that the Product already has', async () => {
  const { deps, store } = await createReconcileDeps();
  const validate = async (registry: string, before?: string) => {
    const toSpec = (name?: string) => ({ repos: [], delivery: { zones: [], registry: name } }) as never;
    const input = { org: 'acme', name: 'shop', spec: toSpec(registry), ...(before && { before: toSpec(before) }) };
    return await assertValidProduct(deps, input).then(
      () => [],
      (error: ServiceError) => error.errors,
    );
  };
  const pointer = '/spec/delivery/registry';
  expect(await validate('images')).toEqual([
    { pointer, detail: 'is not a registry of the org: connect it in Settings, Registries, or leave it out' },
  ]);
  const account = { host: 'registry.test', username: 'ada', password: 'p' };
  const toRegistry = (name: string, access: RegistryAccess, repositoryPrefix?: string) => ({
    ...account,
    name,
    repositoryPrefix,
    lastCheck: { access, at: '2026-11-25T08:00:00.000Z' },
  });
  await store.create(SecretKind, {
    metadata: { namespace: 'org-acme', name: registriesSecretName },
    data: toRegistriesData([
      toRegistry('images', 'pull-and-push', 'acme'),
      toRegistry('mirror', 'pull', 'acme'),
      toRegistry('open', 'signed-in'),
    ]),
  });
  expect(await validate('images')).toEqual([]);
  expect(await validate('other')).toMatchObject([{ pointer, detail: expect.stringContaining('images, mirror, open') }]);
  expect(await validate('mirror')).toMatchObject([{ pointer, detail: expect.stringContaining('pull but not push') }]);
  expect(await validate('open')).toMatchObject([{ pointer, detail: expect.stringContaining('no repository prefix') }]);
  expect(await validate('mirror', 'mirror')).toEqual([]);
});
