import { describe, expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { PodKind } from '../../../src/kinds/kubernetes.ts';
import { eventually } from '../../emulators/cluster/cluster-fixture.ts';
import { startZoneApiFixture, minimalApp, serverImport } from './zone-api-fixture.ts';

describe('getZone', () => {
  it('200: returns the pods of a zone, their resources and volumes, and its events', async () => {
    const fixture = await startZoneApiFixture();
    const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '256Mi' } };
    const persistence = [{ name: 'uploads', size: '1Gi', mountPath: '/data/uploads' }];
    await fixture.deploy(minimalApp, { replicas: 2, resources, persistence, strategy: 'Recreate' });
    await eventually(async () => expect((await fixture.readView()).pods.filter(({ ready }) => ready)).toHaveLength(2));

    const { pods, volumes, events, resources: requests, notRunningReason } = await fixture.readView();
    expect(pods).toEqual(
      Array.from({ length: 2 }, () => ({
        name: expect.stringMatching(/^hello-rc-\w{8}-\w{5}$/),
        status: 'Running',
        ready: true,
        restarts: 0,
        startedAt: expect.stringMatching(/Z$/),
        node: expect.any(String),
        image: expect.stringContaining('@sha256:'),
        containers: ['app'],
      })),
    );
    expect(volumes).toEqual([{ name: 'uploads', size: '1Gi', phase: 'Bound', mountPath: '/data/uploads' }]);
    expect(requests).toEqual({ replicas: 2, cpu: '250m', memory: '256Mi', memoryLimit: '256Mi' });
    expect(notRunningReason).toBeUndefined();
    expect(events.filter(({ reason }) => reason === 'Started').map(({ object, warning }) => [object, warning])).toEqual(
      expect.arrayContaining(pods.map(({ name }) => [`Pod/${name}`, false])),
    );
    const { items } = await fixture.fixture.store.list(PodKind, { namespace: 'hello-rc' });
    expect(items.map(({ spec }) => spec.containers[0]?.resources)).toEqual([resources, resources]);
  });

  it('200: explains why an app crashes, how often it restarted, and warns about it', async () => {
    const fixture = await startZoneApiFixture();
    const app = `${serverImport} createServer(() => {}).listen(process.env.PORT, () => setTimeout(() => {
  console.error('lost the database'); process.exit(7); }, 300));`;
    await fixture.deploy(app, {}, false);
    await eventually(async () => {
      const { pods, notRunningReason, events } = await fixture.readView();
      expect(pods).toMatchObject([{ status: 'CrashLoopBackOff', ready: false }]);
      expect(pods[0]?.restarts).toBeGreaterThanOrEqual(2);
      expect(pods[0]?.notReadyReason).toMatch(
        /^CrashLoopBackOff: back-off .*exited with code 7\. Last output: lost the data/,
      );
      expect(notRunningReason).toBe(pods[0]?.notReadyReason);
      const backOff = events.filter(({ reason }) => reason === 'BackOff');
      expect(backOff).toMatchObject([{ warning: true, object: `Pod/${pods[0]?.name}` }]);
      expect(backOff[0]?.count).toBeGreaterThanOrEqual(2);
    });
  });

  it('200: reports an image that cannot be pulled', async () => {
    const fixture = await startZoneApiFixture();
    await fixture.recordApplied();
    await fixture.zone.commitValues(`sha256:${'0'.repeat(64)}`);
    await fixture.zone.createApplication();
    await eventually(async () => {
      const { pods, notRunningReason, events } = await fixture.readView();
      expect(pods).toMatchObject([{ status: 'ImagePullBackOff', ready: false, restarts: 0 }]);
      expect(notRunningReason).toContain('image registry.local/acme/hello@sha256:0000');
      expect(events).toMatchObject([{ reason: 'Failed', warning: true }]);
    });
  });

  it('200: explains that a zone with 0 replicas runs no pods', async () => {
    const fixture = await startZoneApiFixture();
    await fixture.deploy(minimalApp, { replicas: 0 });
    expect(await fixture.readView()).toMatchObject({
      pods: [],
      resources: { replicas: 0 },
      notRunningReason: 'The zone has 0 replicas, so no pods run.',
    });
  });

  it('200: explains that a new zone waits for a Release, and returns the resources of its spec', async () => {
    const fixture = await startZoneApiFixture({
      spec: { cpu: '0.5', memory: '128Mi', volumes: [{ name: 'data', size: '1Gi', path: '/data' }] },
    });
    expect(await fixture.readView()).toMatchObject({
      pods: [],
      volumes: [],
      events: [],
      resources: { replicas: 1, cpu: '0.5', memory: '128Mi', memoryLimit: '128Mi' },
      notRunningReason: 'No Release has been promoted yet.',
    });
  });

  it('403, 404: hides a zone from other roles and from other Products', async () => {
    const fixture = await startZoneApiFixture();
    await fixture.deploy(minimalApp);
    const other = { name: 'other', namespace: 'org-acme' };
    await fixture.fixture.store.create(ProductKind, { metadata: other, spec: { repos: [], delivery: { zones: [] } } });
    for (const path of ['', '/logs', '/metrics']) {
      const at = (product: string) => `/v1/orgs/acme/products/${product}/zones/hello-rc${path}`;
      expect((await fixture.api.request(at('hello'))).status).toBe(200);
      expect((await fixture.api.request(at('other'))).status).toBe(404);
      expect((await fixture.api.request(at('hello'), { role: 'no-role' })).status).toBe(403);
    }
  });
});
