import { expect, it, onTestFinished } from 'vitest';
import { createIncidentActivities } from '../../activities/incidents/incident-activities.ts';
import { createSloActivities } from '../../activities/slos/slo-activities.ts';
import { NamespaceKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import { type ToolSearch, toolCacheDir } from '../../src/main/tools/tool.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { defaultRetentionMs } from '../../src/rules/slos/slo-window.ts';
import { acceptedCreates } from '../../src/store/accepted-creates.ts';
import { buildSlo } from '../rules/slos/build-slo.ts';
import { startControlPlane } from './control-plane/start-control-plane.ts';
import { installCrds, installPrometheusOperatorCrds } from './install-crds.ts';
import { openClusterStore } from './open-cluster-store.ts';

const search: ToolSearch = {
  cacheDir: toolCacheDir(process.env),
  env: process.env,
  onProgress: (message) => void process.stderr.write(`${message}\n`),
};
const none = async () => await Promise.resolve([]);
const monitoring = { queryInstant: none, queryRange: none, listRules: none, listAlerts: none };
const now = (): Date => new Date();
const [org, namespace] = ['acme', 'org-acme'];

it('says on the Product that the Prometheus operator is missing, and writes the rules once it is there', async () => {
  const cluster = await startControlPlane(search);
  onTestFinished(cluster.stop);
  await installCrds(cluster, [...customResourceKinds]);
  const store = acceptedCreates(await openClusterStore(cluster));
  onTestFinished(async () => await store.close());
  await store.create(NamespaceKind, { metadata: { namespace: '', name: namespace } });
  const token = { namespace: 'service-system', name: 'service-alert-webhook' };
  await store.create(SecretKind, { metadata: token, data: { token: 'Zmlyc3Q=' } });
  const ref = { namespace, name: 'hello' };
  await store.create(ProductKind, {
    metadata: ref,
    spec: { repos: [], delivery: { zones: [{ name: 'hello-prod' }] }, slos: [buildSlo()] },
  });
  const metricsLabels = { release: 'prometheus' };
  const slos = createSloActivities({ store, monitoring, metricsRetentionMs: defaultRetentionMs, metricsLabels, now });
  const incidents = createIncidentActivities({ store, monitoring, alertWebhookUrl: 'http://api.test', now });
  const readState = async () => (await store.get(ProductKind, ref)).status?.observability;

  expect(await slos.applySloRules({ org })).toEqual({ slos: 1, hasOperator: false });
  expect(await slos.checkSloRules({ org, hasOperator: false })).toEqual({ isSettled: true });
  expect(await readState()).toMatchObject({
    phase: 'Unavailable',
    message: expect.stringContaining('Install the Prometheus operator'),
  });
  await incidents.applyAlertRoute({ org, isNeeded: true });
  expect(await incidents.checkIncidents({ org, missing: [] })).toEqual({ missing: [], isNeeded: true });
  await incidents.applyAlertRoute({ org, isNeeded: false });

  await installPrometheusOperatorCrds(cluster, search);
  expect(await slos.applySloRules({ org })).toEqual({ slos: 1, hasOperator: true });
  const { metadata } = await store.get(PrometheusRuleKind, { namespace, name: 'service-slo-hello' });
  expect(metadata.labels).toEqual(metricsLabels);
  expect(await slos.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: false });
  expect(await readState()).toMatchObject({ phase: 'Pending' });
}, 120_000);
