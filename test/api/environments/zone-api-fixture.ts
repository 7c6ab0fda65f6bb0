import assert from 'node:assert/strict';
import type { z } from '@hono/zod-openapi';
import type { ZoneDetailsView } from '../../../api/environments/schemas.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import type { ZoneSettings } from '../../../src/rules/environments/settings.ts';
import {
  type ZoneValuesOptions,
  type ClusterFixture,
  DeployedZone,
  startClusterFixture,
} from '../../emulators/cluster/cluster-fixture.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';

export const serverImport = "import { createServer } from 'node:http';";
/** An app that answers every request and does nothing else. */
export const minimalApp = `${serverImport} createServer((_, response) => response.end('hello')).listen(process.env.PORT);`;

/** The zone "hello-rc" of the Product "hello" in its own emulated cluster, with the API. */
export class ZoneApiFixture {
  readonly fixture: ClusterFixture;
  readonly zone: DeployedZone;
  readonly api: ApiHarness;

  constructor(fixture: ClusterFixture, api: ApiHarness) {
    this.fixture = fixture;
    this.zone = new DeployedZone(fixture);
    this.api = api;
  }

  /** Deploys a JavaScript module as an app and records the deployment in the Product. */
  async deploy(script: string, values: ZoneValuesOptions = {}, waitUntilRunning = true): Promise<void> {
    const digest = await this.fixture.buildImage(await this.fixture.createAppRepo(script));
    await this.recordApplied(values);
    if (waitUntilRunning) return void (await this.zone.deploy(digest, values));
    await this.zone.commitValues(digest, values);
    await this.zone.createApplication();
  }

  async recordApplied(values: Partial<ZoneSettings> = {}): Promise<void> {
    const appliedSettings: ZoneSettings = {
      replicas: 1,
      ingress: { hosts: [], access: 'public' },
      resources: {},
      persistence: [],
      strategy: 'RollingUpdate',
      ...values,
    };
    const zones = [{ name: 'hello-rc', release: 'hello-v1.0.0', version: 'v1.0.0', appliedSettings }];
    await this.fixture.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'hello' }, () => ({ zones }));
  }

  async get(path = '', headers: Record<string, string> = {}): Promise<Response> {
    return await this.api.request(`/v1/orgs/acme/products/hello/zones/hello-rc${path}`, { headers });
  }

  async readView<T = z.infer<typeof ZoneDetailsView>>(path = '', headers = { accept: 'application/json' }): Promise<T> {
    const response = await this.get(path, headers);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as T;
  }
}

export async function startZoneApiFixture({
  usageIntervalMs = 15_000,
  spec = {} as Partial<ZoneSpec>,
} = {}): Promise<ZoneApiFixture> {
  const fixture = await startClusterFixture({ usageIntervalMs });
  const { store, cluster } = fixture;
  const api = await startApi({ role: 'viewer', store, telemetry: cluster.telemetry });
  const zones = [{ name: 'hello-rc', promotionPolicy: 'automatic', ...spec }];
  const product = { name: 'hello', spec: { repos: [], delivery: { zones } } };
  const response = await api.request('/v1/orgs/acme/products', { method: 'POST', body: product, role: 'org-admin' });
  assert.equal(response.status, 201, await response.text());
  return new ZoneApiFixture(fixture, api);
}

/** Returns the fields that a problem response points at. */
export async function readViolations(response: Response): Promise<{ status: number; pointers: string[] }> {
  const { errors } = (await response.json()) as { errors: { pointer: string }[] };
  return { status: response.status, pointers: errors.map(({ pointer }) => pointer) };
}
