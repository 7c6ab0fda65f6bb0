import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import {
  approveRunStep,
  createAcmeOrg,
  createProduct,
  getRun,
  requestZone,
  startChange,
  waitForRunPhase,
  waitForZonePhase,
} from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

const org = '/v1/orgs/acme';

describeWithTemporal('the deletion of an org', () => {
  let platform: TestPlatform;
  let api: ApiClient;
  beforeAll(async () => {
    platform = await TestPlatform.start();
    api = await platform.signInAsRoot();
  });
  afterAll(async () => await platform.remove());

  const exists = async (): Promise<boolean> =>
    await api.get(org).then(
      () => true,
      () => false,
    );

  it('continues after a kill, removes the running zones and work, and frees the name', async () => {
    await createAcmeOrg(api);
    await createProduct(platform, api, { name: 'shop' });
    const run = await startChange(api, 'shop', 'Greet visitors by name');
    await waitForRunPhase(api, run, 'WaitingForPerson');
    await approveRunStep(api, run);
    const { release = '' } = await waitUntil(
      async () => await getRun(api, run),
      (view) => view.release !== undefined,
    );
    // The Release waits for an approval, and the agent of another run works.
    await waitForZonePhase(api, release, { zone: 'shop-prod', phase: 'WaitingForApproval' });
    await startChange(api, 'shop', 'Greet visitors by name');
    const address = platform.zoneUrl('shop-rc');
    expect((await requestZone(address, '/')).status).toBe(200);

    await api.delete(`${org}?confirm=acme`);
    expect(await api.get(org)).toHaveProperty('status.deletionMessage');
    await platform.killTree();
    await platform.start();
    api = await platform.signInAsRoot();
    await waitUntil(exists, (isThere) => !isThere);
    expect((await requestZone(address, '/')).status).toBe(404);

    const store = openSqliteStore({ file: `${platform.dataDir}/store.sqlite` });
    expect(await store.deleteNamespace('org-acme')).toEqual([]);
    const { items } = await store.list(ConfigMapKind, { namespace: 'service-system' });
    expect(items.filter(({ data }) => JSON.stringify(data ?? {}).includes('acme'))).toEqual([]);
    await store.close();

    await api.post('/v1/orgs', { name: 'acme' });
    for (const path of ['products', 'agentworkflowruns', 'releases'])
      expect(await api.get(`${org}/${path}`)).toMatchObject({ items: [] });
    expect(await api.get(org)).not.toHaveProperty('status.deletionMessage');
    await expect(api.get(`${org}/codehost`)).resolves.toMatchObject({ connected: false });
  });
});
