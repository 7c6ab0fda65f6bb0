import { expect, it } from 'vitest';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { orgFinalizer, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { startApi } from '../../support/start-api.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { draft, writer } from '../agents/agents-fixture.ts';

async function start() {
  const { request, store } = await startApi({ temporal: captureStarts().temporal });
  const create = async (path: string, body: object, { key = 'one' } = {}) => {
    const response = await request(path, { method: 'POST', body, headers: { 'Idempotency-Key': key } });
    await forgetResponses(store);
    const replayed = response.headers.get('Idempotent-Replayed');
    return { status: response.status, replayed, body: (await response.json()) as { resourceVersion: string } };
  };
  expect((await create('/v1/orgs/acme/agentroles', writer)).status).toBe(201);
  return { request, store, create };
}

const cases: [string, string, object, Kind<StoredObject>][] = [
  ['an AgentRole', '/v1/orgs/acme/agentroles', { ...writer, name: 'tester' }, AgentRoleKind],
  ['an AgentWorkflow', '/v1/orgs/acme/agentworkflows', draft, AgentWorkflowKind],
  ['a cloud account', '/v1/orgs/acme/cloud-accounts', { name: 'prod', spec: awsSpec }, CloudAccountKind],
  ['an org', '/v1/orgs', { name: 'umbrella' }, OrganizationKind],
];

it.each(cases)(
  '201: completes the interrupted creation of %s, for its own Idempotency-Key only',
  async (_name, path, body, kind) => {
    const { request, store, create } = await start();
    const first = await create(path, body);
    const objects = (await store.list(kind)).items;
    expect(first).toMatchObject({ status: 201, replayed: null });
    expect(await create(path, body)).toEqual(first);
    expect((await store.list(kind)).items).toEqual(objects);
    expect((await create(path, body, { key: 'two' })).status).toBe(409);
    expect((await request(path, { method: 'POST', body })).status).toBe(409);
  },
);

it('409: does not complete the creation of an org that is being deleted', async () => {
  const { store, create } = await start();
  const path = '/v1/orgs';
  expect((await create(path, { name: 'umbrella' })).status).toBe(201);
  const ref = { namespace: 'service-system', name: 'umbrella' };
  expect((await store.get(OrganizationKind, ref)).metadata.finalizers).toEqual([orgFinalizer]);
  await store.delete(OrganizationKind, ref);
  expect(await create(path, { name: 'umbrella' })).toMatchObject({ status: 409, body: { reason: 'org-deleting' } });
});
