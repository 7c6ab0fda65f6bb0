import { defined } from '../../../src/defined.ts';
import { IncidentKind, type IncidentSpec, type IncidentStatus } from '../../../src/rules/incidents/kinds.ts';
import type { Store } from '../../../src/store/store.ts';

const namespace = 'org-acme';
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

export const incidents = {
  burning: 'shop-prod-1124-1425-0a1b2c3d',
  slow: 'shop-prod-1124-1400-1b2c3d4e',
  reported: 'shop-1124-1310-2c3d4e5f',
  over: 'shop-rc-1123-0912-3d4e5f60',
};

/** Creates incidents of the Product "shop": two that no one handles, one that a person handles, and one that is over. */
export async function seedIncidents(store: Store): Promise<void> {
  await createIncident(store, incidents.burning, {
    spec: {
      zone: 'shop-prod',
      severity: 'critical',
      title: 'shop-prod burns its error budget 16 times too fast',
      text: '1.6 % of the requests to shop-prod failed in the last 1h; the objective of 99.9 % allows 0.1 % in 7 days.',
      openedBy: 'alert',
      alert: {
        name: 'ServiceFastBurn',
        fingerprint: 'b1946ac92f6e4a3c',
        startsAt: ago(7),
        slo: 'payments-answered',
        ruleUrl: 'http://prometheus.example.com/graph',
      },
    },
    status: {
      state: 'Open',
      openedAt: ago(7),
      episode: { startsAt: ago(7) },
      promotion: {
        name: 'shop-v1.0.0-shop-prod-release',
        release: 'shop-v1.0.0',
        version: 'v1.0.0',
        healthyAt: ago(60),
      },
      timeline: [
        { type: 'opened', at: ago(7), by: 'alert' },
        { type: 'note', at: ago(3), by: 'jo@example.com', text: 'Every third payment fails in Lerwick.', public: true },
      ],
    },
  });
  await createIncident(store, incidents.slow, {
    spec: { zone: 'shop-prod', severity: 'warning', title: 'Payments of shop-prod are slow', openedBy: 'alert' },
    status: { state: 'Open', openedAt: ago(32), timeline: [{ type: 'opened', at: ago(32), by: 'alert' }] },
  });
  await createIncident(store, incidents.reported, {
    spec: { severity: 'info', title: 'Receipts have the wrong address', openedBy: 'jo@example.com' },
    status: {
      state: 'Acknowledged',
      openedAt: ago(80),
      acknowledgedAt: ago(75),
      acknowledgedBy: 'priya@example.com',
      timeline: [
        { type: 'opened', at: ago(80), by: 'jo@example.com', text: 'They show the old quay.' },
        { type: 'acknowledged', at: ago(75), by: 'priya@example.com' },
      ],
    },
  });
  await createIncident(store, incidents.over, {
    spec: { zone: 'shop-rc', severity: 'critical', title: 'shop-rc was down', openedBy: 'alert' },
    status: {
      state: 'Resolved',
      openedAt: ago(1_700),
      resolvedAt: ago(1_650),
      resolvedBy: 'jo@example.com',
      timeline: [
        { type: 'opened', at: ago(1_700), by: 'alert' },
        { type: 'resolved', at: ago(1_650), by: 'jo@example.com', text: 'The database had no disk left.' },
      ],
    },
  });
}

/** Creates as many resolved incidents, which fill pages of the list. */
export async function seedManyIncidents(store: Store, count: number): Promise<void> {
  for (const index of Array.from({ length: count }).keys())
    await createIncident(store, `shop-rc-1101-${index}`, {
      spec: { zone: 'shop-rc', severity: 'warning', title: `shop-rc was slow, ${index}`, openedBy: 'alert' },
      status: {
        state: 'Resolved',
        openedAt: ago(9_000 + index),
        resolvedAt: ago(8_990 + index),
        resolvedBy: 'alert',
        timeline: [
          { type: 'opened', at: ago(9_000 + index), by: 'alert' },
          { type: 'resolved', at: ago(8_990 + index), by: 'alert' },
        ],
      },
    });
}

type Seed = { spec: Omit<IncidentSpec, 'product'>; status: IncidentStatus };

async function createIncident(store: Store, name: string, { spec, status }: Seed): Promise<void> {
  await store.create(IncidentKind, { metadata: { namespace, name }, spec: defined({ product: 'shop', ...spec }) });
  await store.updateStatus(IncidentKind, { namespace, name }, () => status);
}
