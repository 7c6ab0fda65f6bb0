import { expect, it, onTestFinished } from 'vitest';
import { assertSignInGuarded } from '../../../activities/environments/assert-sign-in-guarded.ts';
import { IngressClassKind } from '../../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

async function createDeps(controller?: string, workloadController?: string) {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  if (controller !== undefined)
    await store.create(IngressClassKind, { metadata: { namespace: '', name: 'web' }, spec: { controller } });
  return { store, ingress: { className: 'web', workloadController } };
}
const refusal = { reason: 'sign-in-unguarded' };

it('reads the controller of the Ingress class', async () => {
  const guarded = await createDeps('k8s.io/ingress-nginx');
  await expect(assertSignInGuarded(guarded, { access: 'signed-in' })).resolves.toBeUndefined();
  const open = await createDeps('traefik.io/ingress-controller');
  await expect(assertSignInGuarded(open, { access: 'signed-in' })).rejects.toMatchObject(refusal);
  for (const access of ['public', 'none', undefined] as const)
    await expect(assertSignInGuarded(open, { access })).resolves.toBeUndefined();
  await expect(assertSignInGuarded(await createDeps(), { access: 'signed-in' })).rejects.toMatchObject(refusal);
});

it('uses the declared controller for workload clusters, and needs none on one machine', async () => {
  const zone = { access: 'signed-in' as const, cluster: 'apart' };
  const declared = await createDeps('traefik.io/ingress-controller', 'k8s.io/ingress-nginx');
  await expect(assertSignInGuarded(declared, zone)).resolves.toBeUndefined();
  await expect(assertSignInGuarded(await createDeps('k8s.io/ingress-nginx'), zone)).rejects.toMatchObject(refusal);
  await expect(assertSignInGuarded({ store: declared.store }, zone)).resolves.toBeUndefined();
});
