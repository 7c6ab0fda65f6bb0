// Measures how fast the alert rules of 1,000 SLOs in 10 zones each are made, and what a check writes to a Kubernetes API
// server: everything once, then nothing, then the rules of the one SLO that changed. The baseline of making the rules is
// JSON.stringify of the same objects, and that of writing them is the store alone.
import { parseArgs } from 'node:util';
import { createSloActivities } from '../../activities/slos/slo-activities.ts';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { type PrometheusRule, PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import { type ToolSearch, toolCacheDir } from '../../src/main/tools/tool.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { type Product, ProductKind, zonesPerProductMax } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { defaultRetentionMs } from '../../src/rules/slos/slo-window.ts';
import { toRuleObjects } from '../../src/rules/slos/to-prometheus-rule.ts';
import { acceptedCreates } from '../../src/store/accepted-creates.ts';
import type { Store } from '../../src/store/store.ts';
import { startControlPlane } from '../cluster/control-plane/start-control-plane.ts';
import { installCrds, installPrometheusOperatorCrds } from '../cluster/install-crds.ts';
import { openClusterStore } from '../cluster/open-cluster-store.ts';
import { buildLatencySlo, buildSlo } from '../rules/slos/build-slo.ts';
import { formatTable, isMissed, type Row } from './table.ts';

const { values: options } = parseArgs({ options: { products: { type: 'string', default: '200' } } });
const slos = 1_000;
const products = Number(options.products);
const slosPerProduct = slos / products;
const rounds = 9;
const org = 'bench';
const namespace = orgNamespace(org);
const none = async () => await Promise.resolve([]);
const search: ToolSearch = {
  cacheDir: toolCacheDir(process.env),
  env: process.env,
  onProgress: (message) => void process.stderr.write(`${message}\n`),
};

const cluster = await startControlPlane(search);
try {
  await installCrds(cluster, [...customResourceKinds]);
  await installPrometheusOperatorCrds(cluster, search);
  const store = acceptedCreates(await openClusterStore(cluster));
  const created = await createProducts(store);
  const objects = created.flatMap((product) => toRuleObjects(product, defaultRetentionMs));
  const makeMs = measureMedian(() => created.flatMap((product) => toRuleObjects(product, defaultRetentionMs)));
  const stringifyMs = measureMedian(() => objects.map((object) => JSON.stringify(object)));
  const megabytes = objects.reduce((sum, object) => sum + JSON.stringify(object).length, 0) / 1e6;

  const { applySloRules } = createSloActivities({
    store,
    monitoring: { queryInstant: none, queryRange: none, listRules: none, listAlerts: none },
    metricsRetentionMs: defaultRetentionMs,
    metricsLabels: {},
    now: () => new Date(),
  });
  const apply = async (): Promise<{ ms: number; writes: number }> => {
    const before = await readVersions(store);
    const startedAt = performance.now();
    await applySloRules({ org });
    const ms = performance.now() - startedAt;
    const after = await readVersions(store);
    return { ms, writes: [...after].filter(([name, version]) => before.get(name) !== version).length };
  };
  const first = await apply();
  const unchanged = await apply();
  const one = created[created.length >> 1]!;
  const changedObjects = toRuleObjects(one, defaultRetentionMs).length;
  await changeOneSlo(store, one);
  const changed = await apply();
  const storeMs = await writeAlone(store, objects);
  const rows: Row[] = [
    { what: 'rules made', service: makeMs, baseline: stringifyMs, unit: 'ms', limit: 1_000 },
    { what: 'written first', service: first.ms, baseline: storeMs, unit: 'ms' },
    { what: 'checked without a change', service: unchanged.ms, unit: 'ms' },
    { what: 'checked after one SLO changed', service: changed.ms, unit: 'ms' },
    { what: 'objects written first', service: first.writes, unit: '', limit: objects.length, atLeast: objects.length },
    { what: 'objects written without a change', service: unchanged.writes, unit: '', limit: 0 },
    {
      what: 'objects written after one SLO changed',
      service: changed.writes,
      unit: '',
      limit: changedObjects,
      atLeast: changedObjects,
    },
  ];
  process.stdout.write(
    `${slos} SLOs in ${zonesPerProductMax} zones: ${products} Products, ${objects.length} objects, ${megabytes.toFixed(1)} MB of JSON\n${formatTable(rows)}`,
  );
  if (rows.some(isMissed)) process.exitCode = 1;
  await store.close();
} finally {
  await cluster.stop();
}

/** Every second SLO is about latency, whose rules are the longer ones. */
async function createProducts(store: Store): Promise<Product[]> {
  for (const name of [namespace, orgNamespace('alone')])
    await store.create(NamespaceKind, { metadata: { namespace: '', name } });
  const created: Product[] = [];
  for (let index = 0; index < products; index += 1) {
    const zones = Array.from({ length: zonesPerProductMax }, (_, zone) => `product-${index}-zone-${zone}`);
    const ownSlos = Array.from({ length: slosPerProduct }, (_, slo) =>
      (slo % 2 === 0 ? buildSlo : buildLatencySlo)({ name: `slo-${slo}`, zones }),
    );
    created.push(
      await store.create(ProductKind, {
        metadata: { namespace, name: `product-${index}` },
        spec: { repos: [], delivery: { zones: zones.map((name) => ({ name })) }, slos: ownSlos },
      }),
    );
  }
  return created;
}

/** The API server gives an object a new version at each write, so no write goes uncounted. */
async function readVersions(store: Store): Promise<Map<string, string>> {
  const { items } = await store.list(PrometheusRuleKind, { namespace });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

async function changeOneSlo(store: Store, { metadata, spec }: Product): Promise<void> {
  const current = await store.get(ProductKind, metadata);
  const changed = spec.slos!.map((slo, index) => (index === 0 ? { ...slo, objective: '99.5' } : slo));
  await store.replace(ProductKind, { ...current, spec: { ...current.spec, slos: changed } });
}

async function writeAlone(store: Store, objects: (Pick<PrometheusRule, 'spec'> & { name: string })[]): Promise<number> {
  const startedAt = performance.now();
  for (const { name, spec } of objects)
    await store.create(PrometheusRuleKind, { metadata: { namespace: orgNamespace('alone'), name }, spec });
  return performance.now() - startedAt;
}

function measureMedian(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return times.toSorted((one, other) => one - other)[rounds >> 1] ?? Number.NaN;
}
