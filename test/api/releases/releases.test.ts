import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { readEvents } from '../../support/read-events.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { startApi } from '../../support/start-api.ts';

/** Creates the Release "shop-v1.0.0" with this status. */
async function withRelease(status: Partial<ReleaseStatus>, options: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi({ role: 'member', ...options });
  const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await api.store.create(ReleaseKind, {
    metadata: ref,
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'Jo' },
  });
  await api.store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], ...status }));
  const send = async (path: string) => (await api.request(`/v1/orgs/acme/releases/${path}`, { method: 'POST' })).status;
  return { ...api, send };
}

describe('listReleases', () => {
  it('200: filters by Product and phase', async () => {
    const { request } = await withRelease({});
    expect(await (await request('/v1/orgs/acme/releases?product=shop&phase=Promoting')).json()).toMatchObject({
      items: [{ name: 'shop-v1.0.0' }],
    });
    expect(await (await request('/v1/orgs/acme/releases?phase=Failed')).json()).toMatchObject({ items: [] });
    for (const [query, count] of [
      ['startedBy=jo', 1],
      ['startedBy=JO', 1],
      ['startedBy=ada', 0],
      ['q=V1.0', 1],
      ['q=v2', 0],
    ] as const) {
      const { items } = (await (await request(`/v1/orgs/acme/releases?${query}`)).json()) as { items: unknown[] };
      expect(items, query).toHaveLength(count);
    }
  });

  it('200: returns the newest Release first', async () => {
    // Times of creation are whole seconds.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { request, store } = await startApi({ role: 'viewer' });
    for (const version of ['v1.1.0', 'v1.2.0', 'v1.0.0']) {
      await store.create(ReleaseKind, {
        metadata: { namespace: 'org-acme', name: `shop-${version}` },
        spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version, startedBy: 'jo' },
      });
      vi.setSystemTime(Date.now() + 1000);
    }
    expect(await (await request('/v1/orgs/acme/releases')).json()).toMatchObject({
      items: [{ name: 'shop-v1.0.0' }, { name: 'shop-v1.2.0' }, { name: 'shop-v1.1.0' }],
    });
  });
});

describe('listReleases as a stream', () => {
  it('200: streams only the Releases of the Product and the phase', async () => {
    const { request, store } = await withRelease({});
    const add = async (product: string, phase: ReleaseStatus['phase']): Promise<void> => {
      const ref = { namespace: 'org-acme', name: `${product}-v2.0.0` };
      const spec = { product, repo: `acme/${product}`, commit: 'd', version: 'v2.0.0', startedBy: 'jo' };
      await store.create(ReleaseKind, { metadata: ref, spec });
      await store.updateStatus(ReleaseKind, ref, () => ({ phase, zones: [] }));
    };
    await add('till', 'Promoting');
    await add('shop', 'Failed');
    const headers = { Accept: 'text/event-stream' };
    const { next, close } = readEvents(
      await request('/v1/orgs/acme/releases?product=shop&phase=Promoting', { headers }),
    );
    const shown = [await next()];
    await add('till2', 'Promoting');
    await store.updateStatus(ReleaseKind, { namespace: 'org-acme', name: 'till-v2.0.0' }, () => ({
      phase: 'Promoting' as const,
      zones: [{ name: 'till-prod', phase: 'Pending' as const }],
    }));
    await store.updateStatus(ReleaseKind, { namespace: 'org-acme', name: 'shop-v2.0.0' }, () => ({
      phase: 'Failed' as const,
      zones: [{ name: 'shop-rc', phase: 'Failed' as const }],
    }));
    const last = { namespace: 'org-acme', name: 'shop-v1.0.0' };
    await store.updateStatus(ReleaseKind, last, ({ status }) => status && { ...status, digest: 'sha256:last' });
    while (!JSON.stringify(shown.at(-1)).includes('sha256:last')) shown.push(await next());
    await close();
    // A Release outside of the filter is reported as one that is gone from the list.
    const changed = shown.filter(({ event }) => event === 'changed').map(({ data }) => data?.['name']);
    expect(new Set(changed)).toEqual(new Set(['shop-v1.0.0']));
  });
});

describe('getRelease', () => {
  it('200: returns the actions of zones that wait for approval', async () => {
    const { request } = await withRelease({
      zones: [
        { name: 'shop-rc', phase: 'Verified' },
        { name: 'shop-prod', phase: 'WaitingForApproval' },
      ],
    });
    const response = await request('/v1/orgs/acme/releases/shop-v1.0.0');
    const view = (await response.json()) as { resourceVersion: string };
    expect(response.headers.get('ETag')).toContain(`"${view.resourceVersion}.`);
    expect(view).toMatchObject({
      kind: 'Release',
      actions: [
        { name: 'approvePromotion', zone: 'shop-prod', allowed: true },
        { name: 'rejectPromotion', zone: 'shop-prod', allowed: true },
        { name: 'cancelRelease', allowed: true },
      ],
    });
  });
});

describe('getRelease as a stream', () => {
  it('200: streams the Release and its changes, and no other', async () => {
    const { request, store } = await withRelease({});
    const { next, close } = readEvents(
      await request('/v1/orgs/acme/releases/shop-v1.0.0', { headers: { Accept: 'text/event-stream' } }),
    );
    const shown = [await next()];
    const other = { namespace: 'org-acme', name: 'shop-v2.0.0' };
    const { spec } = await store.get(ReleaseKind, { ...other, name: 'shop-v1.0.0' });
    await store.create(ReleaseKind, { metadata: other, spec: { ...spec, version: 'v2.0.0' } });
    await store.updateStatus(
      ReleaseKind,
      { ...other, name: 'shop-v1.0.0' },
      ({ status }) => status && { ...status, digest: 'sha256:last' },
    );
    while (!JSON.stringify(shown.at(-1)).includes('sha256:last')) shown.push(await next());
    await close();
    const names = shown.flatMap(({ event, data }) => (event === 'changed' ? [data?.['name']] : []));
    expect(new Set(names)).toEqual(new Set(['shop-v1.0.0']));
  });
});

describe('startRelease', () => {
  it('422: requires a repo of the Product and a valid version; 404: requires an existing Product', async () => {
    const { request } = await withRelease({});
    await request('/v1/orgs/acme/products', {
      method: 'POST',
      role: 'org-admin',
      body: { name: 'shop', spec: { repos: [] } },
    });
    const start = async (body: object) =>
      (await request('/v1/orgs/acme/releases', { method: 'POST', body })).json() as Promise<object>;
    expect(await start({ product: 'shop' })).toMatchObject({ status: 422, errors: [{ pointer: '/repo' }] });
    for (const version of ['1.0', 'v99999999999999999999.0.0', 'v01.0.0'])
      expect(await start({ product: 'shop', version })).toMatchObject({
        status: 422,
        errors: [{ pointer: '/version', detail: expect.stringContaining('at most 15 digits') }],
      });
    expect(await start({ product: 'till' })).toMatchObject({ status: 404 });
  });
});

describe('cancelRelease', () => {
  it('404: requires an existing Release', async () => {
    const { send } = await withRelease({});
    expect(await send('shop-v9.0.0/cancel')).toBe(404);
  });

  it('409: rejects a finished Release', async () => {
    const { send } = await withRelease({ phase: 'Failed', zones: [{ name: 'shop-prod', phase: 'Failed' }] });
    expect(await send('shop-v1.0.0/cancel')).toBe(409);
  });
});

describe('approvePromotion', () => {
  it('404: requires a zone of the Release', async () => {
    const { send } = await withRelease({});
    expect(await send('shop-v1.0.0/zones/shop-prod/approve')).toBe(404);
  });

  it('403: rejects the approval of its starter if the org requires two people', async () => {
    const { request, send, store } = await withRelease({
      zones: [{ name: 'shop-prod', phase: 'WaitingForApproval' }],
    });
    await request('/v1/orgs/acme/approvals', { method: 'PUT', body: { preventSelfApproval: true }, role: 'org-admin' });
    const approve = 'shop-v1.0.0/zones/shop-prod/approve';
    // Temporal cannot be reached, so an approval that is allowed ends with 503.
    expect(await send(approve)).toBe(503);
    const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
    const release = await store.get(ReleaseKind, ref);
    await store.delete(ReleaseKind, ref);
    await store.create(ReleaseKind, {
      metadata: ref,
      spec: { ...release.spec, startedBy: 'Member@example.com' },
    });
    await store.updateStatus(ReleaseKind, ref, () => release.status ?? { phase: 'Promoting' as const, zones: [] });
    expect(await send(approve)).toBe(403);
    const approval = { name: 'approvePromotion', zone: 'shop-prod', allowed: false, reason: 'self-approval' };
    expect(await (await request('/v1/orgs/acme/releases/shop-v1.0.0')).json()).toMatchObject({
      actions: [approval, { name: 'rejectPromotion', allowed: true }, { name: 'cancelRelease' }],
    });
  });
});

describe('rejectPromotion', () => {
  it('409: rejects a decision on a finished Release', async () => {
    const { send } = await withRelease({ phase: 'Failed', zones: [{ name: 'shop-prod', phase: 'Failed' }] });
    expect(await send('shop-v1.0.0/zones/shop-prod/reject')).toBe(409);
  });
});

describe('a decision about a promotion', () => {
  it.each(['approve', 'reject'] as const)('200: %s reaches the workflow of the zone with its proof', async (verb) => {
    const { temporal, updates } = captureUpdates();
    const { request, send } = await withRelease(
      {
        zones: [
          { name: 'shop-rc', phase: 'Verified' },
          { name: 'shop-prod', phase: 'WaitingForApproval' },
        ],
      },
      { temporal },
    );
    const path = `/v1/orgs/acme/releases/shop-v1.0.0/zones/shop-prod/${verb}`;
    const decided = await request(path, { method: 'POST', body: { note: 'Because.' } });
    expect(await decided.json()).toMatchObject({ name: 'shop-v1.0.0' });
    expect(await send(`shop-v1.0.0/zones/shop-prod/${verb}`)).toBe(200);
    const decision = { release: 'shop-v1.0.0', by: 'member@example.com', role: 'member' };
    const common = { workflowId: 'manage-zone/acme/shop/shop-prod', update: `${verb}Promotion` };
    expect(updates).toEqual([
      { ...common, args: [{ ...decision, note: 'Because.' }, expect.any(String)] },
      { ...common, args: [decision, expect.any(String)] },
    ]);
    expect(await send(`shop-v1.0.0/zones/shop-other/${verb}`)).toBe(404);
  });
});
