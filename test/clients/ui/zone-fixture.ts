import {
  CoreV1EventKind,
  NamespaceKind,
  PersistentVolumeClaimKind,
  PodKind,
  type Pod,
} from '../../../src/kinds/kubernetes.ts';
import { formatUpdatedValues } from '../../../src/rules/environments/zone-chart.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { ProductKind, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import type { PodLog, ZoneTelemetry } from '../../../src/integrations/telemetry/zone-telemetry.ts';
import { getDesiredSettings } from '../../../src/store/zone-settings.ts';
import type { Store } from '../../../src/store/store.ts';
import { createFolder, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { connectCodehost } from './change-fixture.ts';
import { openUi } from './open-ui.ts';
import { seedIncidents } from './seed-incidents.ts';
import { seedShop } from './seed-shop.ts';

const org = 'org-acme';
const shop = { namespace: org, name: 'shop' };
const zone = 'shop-prod';
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Opens the UI as an org admin, with the running zone "shop-prod", whose values file is in a gitops repo. */
export async function openZoneUi({ pods = 3, linesPerPod = 400, ...options }: UiSettings & ZoneSize = {}) {
  const shop = await startShopFixture();
  const { codehost } = shop;
  const names = Array.from(
    { length: pods },
    (_, index) => `shop-prod-7c9d8-${['4xkqp', 'b2lzn', 'tm6wv'][index] ?? `pod${index}`}`,
  );
  const logs = new Map(names.map((name, index) => [name, writeLog(index, linesPerPod)]));
  const telemetry = createTelemetry(logs);
  const world = await openUi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl, telemetry, ...options });
  const { store, page } = world;
  // The bar at the bottom of a narrow page would cover what a test clicks.
  await page.setViewport({ width: 1440, height: 900 });
  await connectCodehost(store, shop);
  await seedShop(store);
  await seedIncidents(store);
  const values = await seedZone(store, names);
  const path = `products/shop/zones/${zone}/values.yaml`;
  await codehost.seedRepository('acme/gitops', await createFolder({ [path]: values }));
  return { ...world, logs, shop };
}

type UiSettings = NonNullable<Parameters<typeof openUi>[0]>;
type ZoneSize = { pods?: number; linesPerPod?: number };

async function seedZone(store: Store, pods: string[]): Promise<string> {
  const product = await store.get(ProductKind, shop);
  const [rc, prod] = product.spec.delivery.zones;
  const spec = {
    ...prod,
    name: zone,
    access: 'public' as const,
    replicas: 3,
    cpu: '500m',
    memory: '512Mi',
    volumes: [{ name: 'receipts', size: '5Gi', path: '/var/receipts' }],
    addresses: [{ domain: 'tidewater.test', name: 'pay' }],
  };
  const { metadata } = await store.replace(ProductKind, {
    ...product,
    spec: { ...product.spec, delivery: { zones: rc ? [rc, spec] : [spec] } },
  });
  const input = { org: 'acme', address: `http://${zone}.localhost:8081`, domains: buildDomainSettings() };
  const settings = await getDesiredSettings(store, { ...input, zone: spec });
  await updateZone(store, (before) => ({
    ...before,
    appliedSettings: settings,
    address: input.address,
    settings: {
      generation: metadata.generation,
      phase: 'Applied',
      at: ago(11 * 24 * 60),
      pullRequest: { number: 214, url: 'http://localhost:3000/acme/gitops/pulls/214' },
    },
    addressCheck: {
      url: input.address,
      reachable: true,
      certificate: 'valid',
      message: 'The address responds.',
      checkedAt: ago(59),
    },
  }));
  const owner = { org: 'acme', product: 'shop', zone, uid: metadata.uid };
  await store.create(NamespaceKind, { metadata: { namespace: '', name: zone, labels: zoneNamespaceLabels(owner) } });
  await Promise.all(pods.map(async (name, index) => await seedPod(store, name, index)));
  for (const [name, storage] of [
    ['receipts', '5Gi'],
    ['sessions', '1Gi'],
  ] as const) {
    const ref = { namespace: zone, name };
    const status = { phase: 'Bound', capacity: { storage } };
    await store.create(PersistentVolumeClaimKind, { metadata: ref, spec: { resources: { requests: { storage } } } });
    await store.updateStatus(PersistentVolumeClaimKind, ref, () => status as never);
  }
  await seedEvents(store, pods);
  const image = { repository: 'registry/shop', digest: 'sha256:1' };
  return formatUpdatedValues({ image, release: { name: 'shop-v1.0.0', version: 'v1.0.0', commit: 'c' } }, settings);
}

/** Changes the status of the zone "shop-prod", as its workflow does. */
export async function updateZone(store: Store, change: (before: ZoneStatus) => ZoneStatus | undefined): Promise<void> {
  await store.updateStatus(ProductKind, shop, ({ status }) => ({
    ...status,
    zones: (status?.zones ?? []).flatMap((before) => (before.name === zone ? (change(before) ?? []) : [before])),
  }));
}

async function seedPod(store: Store, name: string, index: number): Promise<void> {
  const ref = { namespace: zone, name };
  const app = { name: 'app', image: 'registry/shop@sha256:c41d08e2' };
  const containers = index === 0 ? [app, { name: 'exporter', image: 'registry/exporter@sha256:9a0f11b3' }] : [app];
  await store.create(PodKind, { metadata: ref, spec: { nodeName: `zone-b-${index + 1}`, containers } });
  const restartCount = index === 1 ? 1 : 0;
  const state = { running: { startedAt: ago(index === 1 ? 19 : 2000) } };
  const status: Pod['status'] = {
    phase: 'Running',
    startTime: ago(2000),
    containerStatuses: [{ name: 'app', ready: true, restartCount, state }],
  };
  await store.updateStatus(PodKind, ref, () => status as never);
}

async function seedEvents(store: Store, pods: string[]): Promise<void> {
  const about = { kind: 'Pod', namespace: zone, name: pods[1] ?? pods[0] ?? '' };
  const events = [
    { type: 'Warning' as const, reason: 'OOMKilling', message: 'Container app exceeded 512Mi', lastTimestamp: ago(19) },
    { type: 'Normal' as const, reason: 'Started', message: 'Started container app', lastTimestamp: ago(20) },
  ];
  for (const event of events)
    await store.create(CoreV1EventKind, {
      metadata: { namespace: zone, name: event.reason.toLowerCase() },
      involvedObject: about,
      count: 1,
      ...event,
    });
}

const texts = [
  'POST /api/payments 201 183ms booking=TW-88214',
  'GET /api/fares?sailing=LER-ABN-1911 200 12ms',
  'POST /api/holds 404 1ms route not found',
  'WARN card issuer answered after 4.1 s (limit 5 s) issuer=bank-42',
  'POST /api/payments 201 4182ms booking=TW-88215',
  'ERROR refund TW-88190 refused: already refunded',
  'GET /healthz 200 0ms',
];
type Line = PodLog['lines'][number];

function writeLog(pod: number, count: number): Line[] {
  const start = Date.now() - count * 900;
  return Array.from({ length: count }, (_, index) => ({
    at: new Date(start + index * 900 + pod * 300).toISOString(),
    text: `${texts[(index + pod * 2) % texts.length]} #${index}`,
  }));
}

/** Telemetry of logs that a test can extend, and of series that are always the same. */
const createTelemetry = (logs: ReadonlyMap<string, Line[]>): ZoneTelemetry => ({
  queryLogs: async (_zone, { tailLines, pod, contains, previous }) =>
    [...logs]
      .filter(([name]) => pod === undefined || name === pod)
      .map(([name, all]) => {
        const own = previous ? [{ at: ago(20), text: `the last line of ${name} before its restart` }] : all;
        const found = own.filter(({ text }) => contains === undefined || text.includes(contains));
        return {
          pod: name,
          lines: found.slice(-tailLines),
          ...(contains !== undefined && { matches: { count: found.length, isComplete: true } }),
        };
      }),
  querySeries: async (_zone, { from, to, stepSeconds }) =>
    [...logs.keys()].map((pod, index) => ({
      pod,
      points: Array.from({ length: Math.floor((to.getTime() - from.getTime()) / 1000 / stepSeconds) }, (_, step) => {
        const wave = Math.sin(step / 9 + index) + Math.sin(step / 2.3 + index * 2) / 3;
        return {
          at: new Date(from.getTime() + step * stepSeconds * 1000).toISOString(),
          cpuCores: 0.22 + wave / 20,
          memoryBytes: (300 + index * 20 + wave * 8 + (index === 1 ? Math.min(step, 160) : step / 6)) * 2 ** 20,
          receivedBytesPerSecond: 1_800_000 + wave * 400_000,
          sentBytesPerSecond: 3_100_000 + wave * 900_000,
        };
      }),
    })),
});
