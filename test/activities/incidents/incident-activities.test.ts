import { expect, it } from 'vitest';
import { createIncidentActivities } from '../../../activities/incidents/incident-activities.ts';
import { notFound, ServiceError } from '../../../src/errors.ts';
import type { ActiveAlert } from '../../../src/integrations/telemetry/monitoring.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind } from '../../../src/kinds/prometheus-operator.ts';
import { withResolution } from '../../../src/rules/incidents/handle-incident.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { recordAlert } from '../../../src/store/record-alert.ts';
import type { Store } from '../../../src/store/store.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startMonitoring } from './start-monitoring.ts';

const org = 'acme';
const namespace = 'org-acme';
const url = 'http://api.test/api/v1/webhooks/alerts';
const startedAt = new Date('2026-11-24T12:00:00Z');
const checkedAt = '2026-11-24T13:00:00.000Z';
const token = (text: string) => ({ data: toSecretData({ token: text }) });
const systemSecret = { namespace: 'service-system', name: 'service-alert-webhook' };

const buildAlert = (changes: Partial<ActiveAlert> = {}): ActiveAlert => ({
  fingerprint: 'b1946ac92f6e4a3c',
  labels: { alertname: 'SloFastBurn', namespace, product: 'shop', zone: 'shop-prod', severity: 'critical' },
  annotations: { summary: 'shop-prod burns its error budget' },
  startsAt: startedAt,
  endsAt: new Date('2026-11-24T14:00:00Z'),
  updatedAt: new Date('2026-11-24T12:59:30Z'),
  state: 'active',
  receivers: ['org-acme/service-incidents/service'],
  ...changes,
});

async function createHarness({ wrap = (store: Store) => store, now = () => new Date(checkedAt) } = {}) {
  const store = openTestStore();
  const monitoring = startMonitoring();
  await store.create(SecretKind, { metadata: systemSecret, ...token('first') });
  const shop = {
    metadata: { namespace, name: 'shop' },
    spec: { repos: [], delivery: { zones: [{ name: 'shop-prod' }] }, slos: [buildSlo()] },
  };
  await store.create(ProductKind, shop);
  const activities = createIncidentActivities({
    store: wrap(store),
    monitoring,
    alertWebhookUrl: url,
    now,
  });
  const list = async () =>
    (await store.list(IncidentKind, { namespace })).items.map(({ metadata, spec, status }) => ({
      name: metadata.name,
      fingerprint: spec.alert?.fingerprint,
      state: status?.state,
    }));
  const check = async (missing: string[] = []) => await activities.checkIncidents({ org, missing });
  const fire = async (startsAt = startedAt.toISOString()) =>
    await recordAlert(store, {
      org,
      product: 'shop',
      zone: 'shop-prod',
      severity: 'critical',
      title: 'It burns',
      name: 'SloFastBurn',
      fingerprint: 'b1946ac92f6e4a3c',
      startsAt,
    });
  return { store, monitoring, activities, list, check, fire };
}

it('opens one incident for an alert whose message was lost, and none for one that people have silenced', async () => {
  const { store, monitoring, list, check } = await createHarness();
  const generatorURL = 'http://prometheus.test/graph';
  monitoring.alerts.push(
    buildAlert({ generatorURL }),
    buildAlert({ fingerprint: 'aa', state: 'suppressed' }),
    buildAlert({ fingerprint: 'bb', labels: { ...buildAlert().labels, namespace: 'org-other' } }),
  );
  expect(await check()).toEqual({ missing: [], isNeeded: true });
  await check();
  expect(await list()).toMatchObject([{ fingerprint: 'b1946ac92f6e4a3c', state: 'Open' }]);
  const [{ name } = { name: '' }] = await list();
  expect((await store.get(IncidentKind, { namespace, name })).spec.alert?.ruleUrl).toBe(generatorURL);
});

it('resolves an incident whose alert is missing at two checks in a row, and not while Alertmanager is unavailable', async () => {
  const { store, monitoring, list, check, fire } = await createHarness();
  await fire();
  const [{ name } = { name: '' }] = await list();
  monitoring.alerts.push(buildAlert({ state: 'suppressed' }));
  expect(await check([name]), 'a silenced alert still fires').toEqual({ missing: [], isNeeded: true });
  monitoring.alerts.length = 0;
  monitoring.failure = new ServiceError('metrics-unavailable', 'It is down.');
  expect(await check([name])).toEqual({ missing: [], isNeeded: true });
  delete monitoring.failure;
  expect(await check()).toEqual({ missing: [name], isNeeded: true });
  expect(await list()).toMatchObject([{ state: 'Open' }]);
  expect(await check([name])).toEqual({ missing: [], isNeeded: true });
  const { status } = await store.get(IncidentKind, { namespace, name });
  expect(status).toMatchObject({
    state: 'Resolved',
    resolvedBy: 'alert',
    resolvedAt: checkedAt,
    episode: { clearedAt: checkedAt },
  });
});

it('records that the alert of an incident cleared that a person had resolved', async () => {
  const { store, list, check, fire } = await createHarness();
  await fire();
  const [{ name } = { name: '' }] = await list();
  const fix = { by: 'jo@example.com', at: '2026-11-24T12:30:00.000Z', text: 'Restarted it.' };
  await store.updateStatus(IncidentKind, { namespace, name }, (incident) => withResolution(incident, fix));
  await check([name]);
  const { status } = await store.get(IncidentKind, { namespace, name });
  expect(status).toMatchObject({ state: 'Resolved', resolvedBy: fix.by, episode: { clearedAt: checkedAt } });
});

it('opens another incident for an alert that fires again after a person resolved it, when all messages were lost', async () => {
  const { store, monitoring, list, check, fire } = await createHarness();
  await fire();
  const [{ name } = { name: '' }] = await list();
  const fix = { by: 'jo@example.com', at: '2026-11-24T12:05:00.000Z', text: 'Restarted it.' };
  await store.updateStatus(IncidentKind, { namespace, name }, (incident) => withResolution(incident, fix));
  monitoring.alerts.push(buildAlert());
  await check();
  expect(await list(), 'the alert that the person resolved').toMatchObject([{ state: 'Resolved' }]);
  monitoring.alerts.splice(0, 1, buildAlert({ startsAt: new Date('2026-11-24T12:55:00Z') }));
  await check();
  await check();
  const states = (await list()).map(({ state }) => state);
  expect(states.toSorted()).toEqual(['Open', 'Resolved']);
});

it('is needed as long as the org has SLOs or an alert fires', async () => {
  const { store, check, fire, monitoring } = await createHarness();
  const product = await store.get(ProductKind, { namespace, name: 'shop' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [] } });
  expect(await check()).toEqual({ missing: [], isNeeded: false });
  await fire();
  monitoring.alerts.push(buildAlert());
  expect(await check()).toEqual({ missing: [], isNeeded: true });
});

it('does not end an alert that fires again during the check', async () => {
  let time = checkedAt;
  const { monitoring, check, fire, list } = await createHarness({ now: () => new Date(time) });
  await fire();
  const { missing } = await check();
  const { listAlerts } = monitoring;
  monitoring.listAlerts = async (scope) => {
    const alerts = await listAlerts(scope);
    await fire('2026-11-24T13:00:05.000Z');
    time = '2026-11-24T13:00:10.000Z';
    return alerts;
  };
  await check(missing);
  expect(await list()).toMatchObject([{ state: 'Open' }]);
});

it('writes the route with a copy of the token, follows a new token, and removes the route', async () => {
  const { store, activities } = await createHarness();
  const apply = async (isNeeded: boolean) => await activities.applyAlertRoute({ org, isNeeded });
  const ref = { namespace, name: 'service-incidents' };
  await apply(true);
  const route = await store.get(AlertmanagerConfigKind, ref);
  expect(route.spec.receivers[0]?.webhookConfigs).toMatchObject([{ url, sendResolved: true }]);
  const secret = { namespace, name: 'service-alert-webhook' };
  expect(await store.get(SecretKind, secret)).toMatchObject(token('first'));
  const current = await store.get(SecretKind, systemSecret);
  await store.replace(SecretKind, { ...current, ...token('second') });
  await apply(true);
  expect(await store.get(SecretKind, secret)).toMatchObject(token('second'));
  const { metadata } = await store.get(AlertmanagerConfigKind, ref);
  expect(metadata.resourceVersion, 'an equal route is left as it is').toBe(route.metadata.resourceVersion);
  await store.replace(AlertmanagerConfigKind, { ...route, spec: { ...route.spec, receivers: [] } });
  await apply(true);
  expect((await store.get(AlertmanagerConfigKind, ref)).spec).toEqual(route.spec);
  await apply(false);
  await apply(false);
  expect(await store.find(AlertmanagerConfigKind, ref)).toBeUndefined();
});

it('keeps the copy of the token while an operator replaces it', async () => {
  const { store, activities } = await createHarness();
  await activities.applyAlertRoute({ org, isNeeded: true });
  await store.delete(SecretKind, systemSecret);
  await activities.applyAlertRoute({ org, isNeeded: true });
  const secret = { namespace, name: 'service-alert-webhook' };
  expect(await store.get(SecretKind, secret)).toMatchObject(token('first'));
  await store.create(SecretKind, { metadata: systemSecret, ...token('second') });
  await activities.applyAlertRoute({ org, isNeeded: true });
  expect(await store.get(SecretKind, secret)).toMatchObject(token('second'));
});

it('needs no operator', async () => {
  const { store, activities } = await createHarness({
    wrap: (inner) => ({
      ...inner,
      create: async (kind, object) => {
        if ((kind as object) === AlertmanagerConfigKind) throw notFound(kind.kind, object.metadata.name, namespace);
        return await inner.create(kind, object);
      },
    }),
  });
  await activities.applyAlertRoute({ org, isNeeded: true });
  expect(await store.find(AlertmanagerConfigKind, { namespace, name: 'service-incidents' })).toBeUndefined();
});
