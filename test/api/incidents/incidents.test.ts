import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../src/rules/incidents/kinds.ts';
import { loadConfig } from '../../../src/config.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { buildAlert, startShop } from './shop-with-incidents.ts';

const opening = {
  product: 'shop',
  zone: 'shop-prod',
  severity: 'warning',
  title: 'Visitors wait',
  text: 'For seconds.',
};
type View = Incident & { name: string; actions: { name: string; allowed: boolean }[] };
type Shop = Awaited<ReturnType<typeof startShop>>;

const post = async ({ request }: Shop, path: string, body?: object, headers = {}): Promise<[number, View]> => {
  const response = await request(`/v1/orgs/acme/incidents${path}`, { method: 'POST', body, headers });
  return [response.status, (await response.json()) as View];
};
const open = async (shop: Shop, changes: object = {}): Promise<View> =>
  (await post(shop, '', { ...opening, ...changes }))[1];
const openByAlert = async (shop: Shop): Promise<string> => {
  await shop.send({ alerts: [buildAlert()] });
  const [incident] = await shop.list();
  if (!incident) throw new Error('No incident opened.');
  return incident.metadata.name;
};
const listNames = async ({ request }: Shop, query = ''): Promise<string[]> => {
  const response = await request(`/v1/orgs/acme/incidents${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: View[] }).items.map(({ spec }) => spec.title);
};

describe('openIncident', () => {
  it('201: opens an incident, once for each Idempotency-Key', async () => {
    const shop = await startShop();
    const headers = { 'Idempotency-Key': 'k1' };
    const [status, view] = await post(shop, '', opening, headers);
    expect([status, view.spec]).toEqual([201, { ...opening, openedBy: 'member@example.com' }]);
    expect(view.status).toMatchObject({ state: 'Open', timeline: [{ type: 'opened', text: 'For seconds.' }] });
    expect((await post(shop, '', opening, headers))[1].name).toBe(view.name);
    expect(await shop.list()).toHaveLength(1);
  });

  it('201: opens an incident that goes with its Product', async () => {
    const shop = await startShop();
    await open(shop);
    await shop.store.delete(ProductKind, { namespace: 'org-acme', name: 'shop' });
    expect(await shop.list()).toEqual([]);
  });

  it('201: completes what an attempt in an earlier minute opened before it was interrupted', async () => {
    let time = new Date('2026-11-24T12:00:59Z');
    const quotas = { ...loadConfig({}).quotas, openIncidentsPerOrg: 1 };
    const shop = await startShop({ now: () => time, config: { quotas } });
    const headers = { 'Idempotency-Key': 'k1' };
    const [, view] = await post(shop, '', opening, headers);
    await forgetResponses(shop.store);
    time = new Date('2026-11-24T12:02:01Z');
    const [status, repeated] = await post(shop, '', opening, headers);
    expect([status, repeated.name, repeated.status]).toEqual([201, view.name, view.status]);
    expect(await shop.list()).toHaveLength(1);
    expect((await post(shop, '', opening, { 'Idempotency-Key': 'k2' }))[0]).toBe(429);
  });

  it.each([{ product: 'till' }, { zone: 'shop-rc' }, { severity: 'page' }, { title: ' ' }])(
    '422: refuses %j',
    async (changes) => {
      const shop = await startShop();
      expect((await post(shop, '', { ...opening, ...changes }))[0]).toBe(422);
    },
  );

  it('429: refuses more open incidents than the quota, which alerts and resolved ones do not use', async () => {
    const quotas = { ...loadConfig({}).quotas, openIncidentsPerOrg: 1 };
    const shop = await startShop({ config: { quotas } });
    await shop.send({ alerts: [buildAlert()] });
    const { name } = await open(shop);
    expect((await post(shop, '', opening))[0]).toBe(429);
    await post(shop, `/${name}/resolve`, { text: 'Restarted.' });
    expect((await post(shop, '', opening))[0]).toBe(201);
  });
});

describe('acknowledgeIncident', () => {
  it('200: says who handles the incident; the first of two people stays', async () => {
    const shop = await startShop();
    const { name } = await open(shop);
    const both = await Promise.all([post(shop, `/${name}/acknowledge`), post(shop, `/${name}/acknowledge`)]);
    expect(both.map(([status]) => status)).toEqual([200, 200]);
    const [, { status, actions }] = both[0];
    expect(status).toMatchObject({ state: 'Acknowledged', acknowledgedBy: 'member@example.com' });
    expect(status?.timeline.map(({ type }) => type)).toEqual(['opened', 'acknowledged']);
    expect(actions.find((action) => action.name === 'acknowledgeIncident')?.allowed).toBe(false);
  });

  it('409: refuses a late acknowledgement, so that the resolution stays', async () => {
    const shop = await startShop();
    const name = await openByAlert(shop);
    await shop.send({ alerts: [buildAlert({ endsAt: '2026-11-24T12:05:00Z' })] });
    expect(await post(shop, `/${name}/acknowledge`)).toEqual([
      409,
      expect.objectContaining({ reason: 'incident-resolved' }),
    ]);
    expect((await shop.list())[0]?.status?.state).toBe('Resolved');
  });
});

describe('resolveIncident', () => {
  it('200: keeps what fixed it, and stays resolved while the alert is sent again', async () => {
    const shop = await startShop();
    const name = await openByAlert(shop);
    const [status, view] = await post(shop, `/${name}/resolve`, { text: 'Rolled back.', public: true });
    expect([status, view.status?.state, view.status?.resolvedBy]).toEqual([200, 'Resolved', 'member@example.com']);
    expect(view.status?.timeline.at(-1)).toMatchObject({ type: 'resolved', text: 'Rolled back.', public: true });
    await shop.send({ alerts: [buildAlert()] });
    expect((await shop.list()).map((incident) => incident.status?.state)).toEqual(['Resolved']);
  });

  it('409: refuses a second resolution', async () => {
    const shop = await startShop();
    const { name } = await open(shop);
    await post(shop, `/${name}/resolve`, { text: 'Restarted.' });
    expect((await post(shop, `/${name}/resolve`, { text: 'Again.' }))[0]).toBe(409);
  });

  it('422: demands what fixed it', async () => {
    const shop = await startShop();
    const { name } = await open(shop);
    expect((await post(shop, `/${name}/resolve`, { text: ' ' }))[0]).toBe(422);
  });
});

describe('addIncidentNote', () => {
  it('200: loses no note when many people and the alert write at once', async () => {
    const shop = await startShop();
    const name = await openByAlert(shop);
    const texts = Array.from({ length: 20 }, (_, index) => `note ${index}`);
    await Promise.all([
      ...texts.map((text) => post(shop, `/${name}/notes`, { text })),
      shop.send({ alerts: [buildAlert({ endsAt: '2026-11-24T12:05:00Z' })] }),
    ]);
    const { timeline = [] } = (await shop.list())[0]?.status ?? {};
    expect(timeline.flatMap(({ type, text }) => (type === 'note' ? [text] : [])).toSorted()).toEqual(texts.toSorted());
    expect(timeline.map(({ type }) => type)).toContain('alert-cleared');
  });

  it('404: knows no incident of another name', async () => {
    const shop = await startShop();
    expect((await post(shop, '/none/notes', { text: 'Hello.' }))[0]).toBe(404);
  });
});

describe('listIncidents', () => {
  it('200: returns open incidents first, then the newest, page by page and filtered', async () => {
    let minute = 0;
    const now = (): Date => new Date(Date.UTC(2026, 10, 24, 12, minute));
    const shop = await startShop({ now });
    for (const title of ['first', 'second', 'third']) {
      minute += 1;
      const { name } = await open(shop, { title, severity: title === 'first' ? 'critical' : 'info' });
      if (title === 'third') await post(shop, `/${name}/resolve`, { text: 'Restarted.' });
      if (title === 'second') await post(shop, `/${name}/acknowledge`);
    }
    minute += 1;
    await open(shop, { title: 'fourth' });
    expect(await listNames(shop)).toEqual(['fourth', 'first', 'second', 'third']);
    expect(await listNames(shop, '?state=Unresolved')).toEqual(['fourth', 'first', 'second']);
    expect(await listNames(shop, '?state=Acknowledged')).toEqual(['second']);
    expect(await listNames(shop, '?severity=critical')).toEqual(['first']);
    expect(await listNames(shop, '?q=THIRD')).toEqual(['third']);
    expect(await listNames(shop, '?product=till')).toEqual([]);
    expect(await listNames(shop, '?zone=shop-prod&since=2026-11-24T12:03:00Z&until=2026-11-24T12:04:00Z')).toEqual([
      'third',
    ]);
    const response = await shop.request('/v1/orgs/acme/incidents?limit=3');
    const { continue: next } = (await response.json()) as { continue: string };
    expect(await listNames(shop, `?limit=3&continue=${next}`)).toEqual(['third']);
  });
});

describe('getIncident', () => {
  it('200: returns the incident', async () => {
    const shop = await startShop();
    const { name } = await open(shop);
    const response = await shop.request(`/v1/orgs/acme/incidents/${name}`);
    const view = (await response.json()) as { resourceVersion: string };
    expect([response.status, view]).toEqual([200, expect.objectContaining({ name, kind: 'Incident' })]);
    expect(response.headers.get('ETag')).toContain(`"${view.resourceVersion}.`);
  });

  it('404: knows no incident of another org', async () => {
    const shop = await startShop();
    expect((await shop.request('/v1/orgs/acme/incidents/none')).status).toBe(404);
  });
});
