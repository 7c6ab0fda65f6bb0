// Measures a storm of alerts that two Alertmanager peers send, one alert in each message: how long until all are stored, and
// whether each alert has one incident. The baseline stores as many incidents without the API.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { openIntakeStore, seedOrgs } from '../support/platform/intake-harness.ts';
import { startReplica } from '../support/platform/replica.ts';
import { startTemporal } from '../support/servers/start-temporal.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, alerts: { type: 'string', default: '2000' } },
});
const alerts = Number(options.alerts);
const peers = 2;
/** Each peer sends its alerts within this time. */
const stormMs = 1000;
const namespace = 'org-org0';
const token = 'bench-token';

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const store = openIntakeStore(folder);
await seedOrgs(store, 1);
await store.create(SecretKind, {
  metadata: { namespace: 'service-system', name: 'service-alert-webhook' },
  data: { token: Buffer.from(token).toString('base64') },
});
const baseline = await measureBaseline();
const server = await startTemporal({ folder, onProgress: (message) => void process.stderr.write(`${message}\n`) });
const api = await startReplica('api', { DATA_DIR: folder, TEMPORAL_ADDRESS: server.address });
try {
  const load = loadavg()[0]?.toFixed(1);
  const startedAt = performance.now();
  const responses = await Promise.all(
    Array.from({ length: peers * alerts }, async (_, index) => await sendAt(startedAt, index)),
  );
  const storedMs = performance.now() - startedAt;
  const { items } = await store.list(IncidentKind, { namespace });
  const fingerprints = new Set(items.map(({ spec }) => spec.alert?.fingerprint));
  const result = {
    load,
    alerts,
    peers,
    failed: responses.filter(({ status }) => status !== 200).length,
    incidents: items.length,
    distinct: fingerprints.size,
    allStoredMs: Math.round(storedMs),
    p99Ms: Math.round(
      responses.map(({ ms }) => ms).toSorted((one, other) => one - other)[Math.floor(responses.length * 0.99)] ?? 0,
    ),
    baselineMs: Math.round(baseline),
    ratio: Number((storedMs / baseline).toFixed(1)),
  };
  process.stdout.write(`${JSON.stringify(result, undefined, options.json ? 0 : 2)}\n`);
  if (items.length !== alerts || fingerprints.size !== alerts) throw new Error('Not every alert has one incident.');
} finally {
  await api.kill();
  await server.close();
  await store.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Spreads the messages of each peer evenly over the storm. */
async function sendAt(startedAt: number, index: number): Promise<{ status: number; ms: number }> {
  const number = Math.floor(index / peers);
  const dueMs = Math.max(0, startedAt + (number / alerts) * stormMs - performance.now());
  await new Promise((resolve) => setTimeout(resolve, dueMs));
  const sentAt = performance.now();
  const response = await fetch(`${api.url}/api/v1/webhooks/alerts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      version: '4',
      receiver: `${namespace}/service-incidents/service`,
      alerts: [toAlert(number)],
    }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - sentAt };
}

function toAlert(number: number): object {
  return {
    status: 'firing',
    labels: { alertname: 'SloFastBurn', namespace, product: 'hello', zone: 'org0-prod', severity: 'critical' },
    annotations: { summary: `Objective ${number} burns its budget` },
    startsAt: '2026-11-24T12:00:00Z',
    fingerprint: `f${number.toString(16).padStart(15, '0')}`,
  };
}

/** Writes as many objects, in two steps each as an incident is. */
async function measureBaseline(): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < alerts; index += 1) {
    const metadata = { namespace: 'org-baseline', name: `incident-${index}` };
    const spec = { product: 'hello', severity: 'info' as const, title: 'Baseline', openedBy: 'bench' };
    await store.create(IncidentKind, { metadata, spec });
    const openedAt = '2026-11-24T12:00:00.000Z';
    await store.updateStatus(IncidentKind, metadata, () => ({ state: 'Open' as const, openedAt, timeline: [] }));
  }
  return performance.now() - startedAt;
}
