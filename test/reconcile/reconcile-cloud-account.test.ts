import { expect, it } from 'vitest';
import { reconcileCloudAccount } from '../../src/reconcile/reconcile-cloud-account.ts';
import { CloudAccountKind, type CloudAccountSpec } from '../../src/rules/cloud-accounts/kinds.ts';
import { awsSpec } from '../support/servers/test-cloud.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

async function apply(name: string, { org = 'acme', spec = awsSpec }: { org?: string; spec?: CloudAccountSpec } = {}) {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace: `org-${org}`, name };
  const created = await store.create(CloudAccountKind, { metadata, spec });
  await reconcileCloudAccount(deps, created);
  return (await store.get(CloudAccountKind, metadata)).status?.conditions?.[0];
}

it('accepts an account, and says what is wrong with another', async () => {
  expect(await apply('prod')).toMatchObject({ status: 'True' });
  expect(await apply('prod', { spec: { ...awsSpec, region: 'cn-north-1' } })).toMatchObject({
    status: 'False',
    message: expect.stringContaining('/spec/region is in the partition "aws-cn"'),
  });
  expect(await apply('p.rod')).toMatchObject({ status: 'False', message: expect.stringContaining('"p.rod"') });
  expect(await apply('prod', { org: 'unknown' })).toMatchObject({
    status: 'False',
    message: expect.stringContaining('unknown'),
  });
});
