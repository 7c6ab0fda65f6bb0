import { describe, expect, it } from 'vitest';
import { createIncidentActivities } from '../../../activities/incidents/incident-activities.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { ActiveAlert } from '../../../src/integrations/telemetry/monitoring.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind } from '../../../src/kinds/prometheus-operator.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { recordAlert } from '../../../src/store/record-alert.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';
import { startMonitoring } from './start-monitoring.ts';

const org = 'acme';
const namespace = 'org-acme';
const startedAt = '2026-11-24T12:00:00.000Z';

async function createHarness({ finalizers = [] as string[] } = {}) {
  const store = openTestStore();
  const monitoring = startMonitoring();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop', finalizers },
    spec: { repos: [], delivery: { zones: [{ name: 'shop-prod' }] }, slos: [buildSlo()] },
  });
  const activities = createIncidentActivities({
    store,
    monitoring,
    alertWebhookUrl: 'http://api.test/',
    now: () => new Date('2026-11-24T13:00:00Z'),
  });
  const fire = async (fingerprint: string) =>
    await recordAlert(store, {
      org,
      product: 'shop',
      zone: 'shop-prod',
      severity: 'critical',
      title: 'It burns',
      name: 'SloFastBurn',
      fingerprint,
      startsAt: startedAt,
    });
  const list = async () => (await store.list(IncidentKind, { namespace })).items;
  return { store, monitoring, fire, list, ...activities };
}

const buildAlert = (labels: Record<string, string>): ActiveAlert => ({
  fingerprint: 'b1946ac92f6e4a3c',
  labels: { namespace, ...labels },
  annotations: {},
  startsAt: new Date(startedAt),
  endsAt: new Date('2026-11-24T14:00:00Z'),
  updatedAt: new Date('2026-11-24T12:59:30Z'),
  state: 'active',
  receivers: [],
});

describe('checkIncidents', () => {
  it('opens no incident of an alert that is not about a zone', async () => {
    const { checkIncidents, monitoring, list } = await createHarness();
    monitoring.alerts.push(buildAlert({ alertname: 'Watchdog' }));
    expect(await checkIncidents({ org, missing: [] })).toEqual({ missing: [], isNeeded: true });
    expect(await list()).toEqual([]);
  });

  it('opens no incident while a restore may still write that of the alert', async () => {
    const { checkIncidents, monitoring, fire, list, store } = await createHarness();
    await fire(buildAlert({}).fingerprint);
    const [archived] = await list();
    if (!archived) throw new Error('The alert opened no incident.');
    await store.delete(IncidentKind, archived.metadata);
    monitoring.alerts.push(
      buildAlert({ alertname: 'SloFastBurn', product: 'shop', zone: 'shop-prod', severity: 'critical' }),
    );
    await setRestorePhase(store, 'Restoring');
    await expect(checkIncidents({ org, missing: [] })).rejects.toThrow('"restore-1" is in progress');
    expect(await list()).toEqual([]);
    await store.restore(IncidentKind, archived);
    await setRestorePhase(store, 'Succeeded');
    expect(await checkIncidents({ org, missing: [] })).toEqual({ missing: [], isNeeded: true });
    expect((await list()).map(({ metadata }) => metadata.uid)).toEqual([archived.metadata.uid]);
  });

  it('is not needed for a Product that is being deleted', async () => {
    const { checkIncidents, store } = await createHarness({ finalizers: ['test/keep'] });
    await store.delete(ProductKind, { namespace, name: 'shop' });
    expect(await checkIncidents({ org, missing: [] })).toEqual({ missing: [], isNeeded: false });
  });

  it('is not needed for a Product whose deletion a person requested', async () => {
    const { checkIncidents, store } = await createHarness();
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ deletionMessage: 'Requested.' }));
    expect(await checkIncidents({ org, missing: [] })).toEqual({ missing: [], isNeeded: false });
  });

  it('fails when Alertmanager fails in a way that a retry may fix', async () => {
    const { checkIncidents, monitoring } = await createHarness();
    monitoring.failure = new ServiceError('invalid', 'A fault');
    await expect(checkIncidents({ org, missing: [] })).rejects.toThrow('A fault');
  });

  it('reopens the incident of an alert that expired in Alertmanager and fires on, once', async () => {
    const { checkIncidents, monitoring, fire, list } = await createHarness();
    const labels = { alertname: 'SloFastBurn', product: 'shop', zone: 'shop-prod', severity: 'critical' };
    await fire(buildAlert(labels).fingerprint);
    const [{ metadata } = { metadata: { name: '' } }] = await list();
    const check = async (missing: string[] = []) => {
      await checkIncidents({ org, missing });
      return (await list()).map(({ status }) => status?.timeline.map(({ type }) => type));
    };
    const ended = ['opened', 'alert-cleared', 'resolved'];
    expect(await check([metadata.name])).toEqual([ended]);
    monitoring.alerts.push(buildAlert(labels));
    expect(await check(), 'a peer that has received nothing since').toEqual([ended]);
    monitoring.alerts = [{ ...buildAlert(labels), updatedAt: new Date('2026-11-24T13:06:00Z') }];
    await check();
    expect(await check()).toEqual([[...ended, 'reopened']]);
    expect(await list()).toMatchObject([{ status: { state: 'Open', episode: { startsAt: startedAt } } }]);
  });

  it('resolves each incident that is missing again, and remembers each that is missing for the first time', async () => {
    const { checkIncidents, fire, list } = await createHarness();
    for (const fingerprint of ['aa', 'bb', 'cc']) await fire(fingerprint);
    const [first, second, third] = (await list()).map(({ metadata }) => metadata.name) as [string, string, string];
    const { missing } = await checkIncidents({ org, missing: [first, third] });
    expect(missing).toEqual([second]);
    const states = (await list()).map(({ metadata, status }) => [metadata.name, status?.state]);
    expect(Object.fromEntries(states)).toEqual({ [first]: 'Resolved', [second]: 'Open', [third]: 'Resolved' });
  });

  it('remembers at most 500 names', async () => {
    const { checkIncidents, fire } = await createHarness();
    for (let number = 0; number < 501; number += 1) await fire(`f${number}`);
    expect((await checkIncidents({ org, missing: [] })).missing).toHaveLength(500);
  });
});

describe('applyAlertRoute', () => {
  it('writes no route without its token, and waits for it', async () => {
    const { applyAlertRoute, store } = await createHarness();
    await applyAlertRoute({ org, isNeeded: true });
    expect((await store.list(AlertmanagerConfigKind, { namespace })).items).toEqual([]);
    await store.create(SecretKind, { metadata: { namespace: 'service-system', name: 'service-alert-webhook' } });
    await applyAlertRoute({ org, isNeeded: true });
    expect((await store.list(AlertmanagerConfigKind, { namespace })).items).toHaveLength(1);
  });

  it('copies a Secret without data', async () => {
    const { applyAlertRoute, store } = await createHarness();
    const metadata = { namespace: 'service-system', name: 'service-alert-webhook' };
    await store.create(SecretKind, { metadata });
    await applyAlertRoute({ org, isNeeded: true });
    const copy = await store.get(SecretKind, { namespace, name: metadata.name });
    expect(copy.data).toBeUndefined();
    expect((await store.list(AlertmanagerConfigKind, { namespace })).items).toHaveLength(1);
  });
});
