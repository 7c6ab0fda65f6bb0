import { expect, it } from 'vitest';
import { OrganizationKind, orgFinalizer } from '../../../src/rules/orgs/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const orgRef = { namespace: 'service-system', name: 'acme' };
const approvals = { method: 'PUT', body: { preventSelfApproval: true } };

it('409: an org that is being deleted can only be read, and deleted again', async () => {
  const { request, store } = await startApi({ role: 'org-admin' });
  expect((await request('/v1/orgs/acme/approvals', approvals)).status).toBe(200);
  const org = await store.get(OrganizationKind, orgRef);
  await store.replace(OrganizationKind, { ...org, metadata: { ...org.metadata, finalizers: [orgFinalizer] } });
  await store.delete(OrganizationKind, orgRef);
  expect(await (await request('/v1/orgs/acme/approvals', approvals)).json()).toMatchObject({ reason: 'org-deleting' });
  for (const method of ['GET', 'HEAD']) expect((await request('/v1/orgs/acme', { method })).status).toBe(200);
  // The workflow server of this test is unreachable, so the request got past the check.
  expect((await request('/v1/orgs/acme?confirm=acme', { method: 'DELETE' })).status).toBe(503);
});

it('403: names the role that is missing, and nothing about an org that does not exist', async () => {
  const { request } = await startApi({ role: 'member' });
  const refused = await (await request('/v1/orgs/acme/approvals', approvals)).json();
  expect(refused).toMatchObject({ status: 403, reason: 'insufficient-role' });
  expect((refused as { detail: string }).detail).toMatch(/^Not allowed in org "acme"\. /);
  const unknown = (await (await request('/v1/orgs/unknown/approvals', approvals)).json()) as { detail: string };
  expect(unknown.detail).toMatch(/^Not allowed in org "unknown"\. /);
  const installation = await request('/v1/orgs', { method: 'POST', body: { name: 'new' } });
  expect(await installation.json()).toMatchObject({ reason: 'insufficient-role' });
});

it('names the org of a request in the log only if it exists', async () => {
  const orgs: unknown[] = [];
  const write = (fields: { org?: string }): void => void orgs.push(fields.org);
  const log = { debug: write, info: write, warn: write, error: write };
  const { request } = await startApi({ role: 'platform-admin', log });
  for (const org of ['acme', 'unknown']) await request(`/v1/orgs/${org}`);
  expect(orgs).toEqual(['acme', undefined]);
});

it('201: repeats the response that only the same credential can open', async () => {
  const { request } = await startApi({ role: 'member' });
  const mint = async () => {
    const init = { method: 'POST', body: { label: 'ci' }, headers: { 'Idempotency-Key': 'one' } };
    const response = await request('/v1/me/tokens', { ...init, via: 'session' });
    return { status: response.status, token: ((await response.json()) as { token: string }).token };
  };
  const first = await mint();
  expect(first).toEqual({ status: 201, token: expect.stringMatching(/^svc_/) });
  expect(await mint()).toEqual(first);
});

it('413: counts a body whose length is not declared', async () => {
  const { app, tokenFor } = await startApi({ role: 'org-admin' });
  const send = async (bytes: number): Promise<number> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ preventSelfApproval: true }).padEnd(bytes)));
        controller.close();
      },
    });
    const headers = {
      Authorization: `Bearer ${await tokenFor('org-admin')}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      'Content-Length': '10',
    };
    const init = { method: 'PUT', headers, body, duplex: 'half' } as RequestInit;
    return (await app.request('/api/v1/orgs/acme/approvals', init)).status;
  };
  expect(await send(100)).toBe(200);
  expect(await send(5_000_000)).toBe(413);
});
