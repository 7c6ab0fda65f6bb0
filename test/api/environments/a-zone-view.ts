import assert from 'node:assert/strict';
import type { z } from '@hono/zod-openapi';
import type { ZoneDetailsView } from '../../../api/environments/schemas.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/catalog/kinds.ts';
import type { ZoneSettings } from '../../../src/rules/environments/zone-values.ts';
import { type Values, type World, ZoneOf, aWorld } from '../../local/cluster/a-cluster.ts';
import { type StartedApi, startApi } from '../../support/start-api.ts';

export const server = "import { createServer } from 'node:http';";
/** An app that says its name to nobody and does nothing else. */
export const quietApp = `${server} createServer((_, response) => response.end('hello')).listen(process.env.PORT);`;

/** The zone "hello-rc" of the Product "hello", in a cluster of its own, and the API over both. */
export class AZoneView {
  readonly world: World;
  readonly zone: ZoneOf;
  readonly api: StartedApi;

  constructor(world: World, api: StartedApi) {
    this.world = world;
    this.zone = new ZoneOf(world);
    this.api = api;
  }

  /** Deploys an app that is this JavaScript module, as the service records it. */
  async deploy(script: string, values: Values = {}, untilRuns = true): Promise<void> {
    const digest = await this.world.build(await this.world.app(script));
    await this.applied(values);
    if (untilRuns) return void (await this.zone.deploy(digest, values));
    await this.zone.write(digest, values);
    await this.zone.createApplication();
  }

  async applied(values: Partial<ZoneSettings> = {}): Promise<void> {
    const applied: ZoneSettings = {
      replicas: 1,
      ingress: { hosts: [], access: 'public' },
      resources: {},
      persistence: [],
      strategy: 'RollingUpdate',
      ...values,
    };
    const zones = [{ name: 'hello-rc', release: 'hello-v1.0.0', version: 'v1.0.0', applied }];
    await this.world.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'hello' }, () => ({ zones }));
  }

  async get(path = '', headers: Record<string, string> = {}): Promise<Response> {
    return await this.api.request(`/v1/orgs/acme/products/hello/zones/hello-rc${path}`, { headers });
  }

  async read<T = z.infer<typeof ZoneDetailsView>>(path = '', headers = { accept: 'application/json' }): Promise<T> {
    const response = await this.get(path, headers);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as T;
  }
}

export async function aZoneView({ measureEveryMs = 15_000, spec = {} as Partial<ZoneSpec> } = {}): Promise<AZoneView> {
  const world = await aWorld({ measureEveryMs });
  const { store, cluster } = world;
  const api = await startApi({ role: 'viewer', store, telemetry: cluster.telemetry });
  const zones = [{ name: 'hello-rc', arrival: 'automatic', ...spec }];
  const product = { name: 'hello', spec: { repos: [], delivery: { zones } } };
  const response = await api.request('/v1/orgs/acme/products', { method: 'POST', body: product, role: 'org-admin' });
  assert.equal(response.status, 201, await response.text());
  return new AZoneView(world, api);
}

/** What a refusal says is wrong with the query. */
export async function wrongIn(response: Response): Promise<{ status: number; pointers: string[] }> {
  const { errors } = (await response.json()) as { errors: { pointer: string }[] };
  return { status: response.status, pointers: errors.map(({ pointer }) => pointer) };
}
