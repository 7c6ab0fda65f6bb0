import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

export const alertToken = 'alert-token';
export const startsAt = '2026-11-24T12:00:00.000Z';
export const acme = { namespace: 'org-acme' };

type AlertParts = { labels?: object; fingerprint?: string; startsAt?: string; endsAt?: string };
export const buildAlert = ({ labels, endsAt, ...changes }: AlertParts = {}) => ({
  status: endsAt === undefined ? 'firing' : 'resolved',
  labels: {
    alertname: 'SloFastBurn',
    namespace: 'org-acme',
    product: 'shop',
    zone: 'shop-prod',
    slo: 'answered',
    severity: 'critical',
    ...labels,
  },
  annotations: { summary: 'shop-prod burns its error budget' },
  startsAt,
  endsAt: endsAt ?? '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus.test/graph',
  fingerprint: 'b1946ac92f6e4a3c',
  ...changes,
});

type Message = { alerts: object[]; token?: string | undefined; receiver?: string; version?: string };

/** Starts the API with the Product "shop" in the org "acme", and the token of Alertmanager. */
export async function startShop(options: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi({ role: 'member', ...options });
  await api.store.create(SecretKind, {
    metadata: { namespace: 'service-system', name: 'service-alert-webhook' },
    data: toSecretData({ token: alertToken }),
  });
  await createShop(api, 'acme');
  return {
    ...api,
    send: ({ alerts, token = alertToken, receiver = 'org-acme/service-incidents/service', version = '4' }: Message) =>
      api.request('/v1/webhooks/alerts', {
        method: 'POST',
        role: 'anonymous',
        headers: { Authorization: `Bearer ${token}` },
        body: { version, receiver, status: 'firing', groupKey: '{}', truncatedAlerts: 0, alerts },
      }),
    list: async (namespace = 'org-acme') => (await api.store.list(IncidentKind, { namespace })).items,
  };
}

export async function createShop({ store }: Pick<ApiHarness, 'store'>, org: string): Promise<void> {
  await store.create(ProductKind, {
    metadata: { namespace: `org-${org}`, name: 'shop' },
    spec: { repos: [`${org}/shop`], delivery: { zones: [{ name: 'shop-prod' }] } },
  });
}
