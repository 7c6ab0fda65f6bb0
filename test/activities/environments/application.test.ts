import { expect, it, onTestFinished } from 'vitest';
import { ensureApplication } from '../../../activities/environments/application.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

it('deploys to the cluster of the service, or to the cluster that the zone names', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const zones: ZoneSpec[] = [
    { name: 'shop-rc', promotionPolicy: 'automatic' },
    { name: 'shop-prod', promotionPolicy: 'automatic', cluster: 'apart' },
  ];
  const namespace = 'org-acme';
  await store.create(ProductKind, { metadata: { namespace, name: 'shop' }, spec: { repos: [], delivery: { zones } } });
  const repo = { repoUrl: 'https://code.test/acme/gitops.git', branch: 'main' };
  for (const { name } of zones) await ensureApplication(store, { org: 'acme', product: 'shop', zone: name, ...repo });
  const readDestination = async (name: string) =>
    (await store.get(ApplicationKind, { namespace, name })).spec.destination;
  expect(await readDestination('shop-rc')).toEqual({
    server: 'https://kubernetes.default.svc',
    namespace: 'shop-rc',
  });
  expect(await readDestination('shop-prod')).toEqual({ name: 'apart', namespace: 'shop-prod' });
});
