import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { PodKind } from '../../../src/rules/environments/cluster-kinds.ts';
import { eventually } from '../../local/cluster/a-cluster.ts';
import { aZoneView, quietApp, server } from './a-zone-view.ts';

it('shows the pods that run, what they reserve, their volumes, and what happened', async () => {
  const view = await aZoneView();
  const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '256Mi' } };
  const persistence = [{ name: 'uploads', size: '1Gi', mountPath: '/data/uploads' }];
  await view.deploy(quietApp, { replicas: 2, resources, persistence, strategy: 'Recreate' });
  await eventually(async () => expect((await view.read()).pods.filter(({ ready }) => ready)).toHaveLength(2));

  const { pods, volumes, events, reservations, notRunning } = await view.read();
  expect(pods).toEqual(
    Array.from({ length: 2 }, () => ({
      name: expect.stringMatching(/^hello-rc-\w{8}-\w{5}$/),
      status: 'Running',
      ready: true,
      restarts: 0,
      startedAt: expect.stringMatching(/Z$/),
      node: expect.any(String),
      image: expect.stringContaining('@sha256:'),
    })),
  );
  expect(volumes).toEqual([{ name: 'uploads', size: '1Gi', phase: 'Bound', path: '/data/uploads' }]);
  expect(reservations).toEqual({ replicas: 2, cpu: '250m', memory: '256Mi', memoryLimit: '256Mi' });
  expect(notRunning).toBeUndefined();
  expect(events.filter(({ reason }) => reason === 'Started').map(({ object, warning }) => [object, warning])).toEqual(
    expect.arrayContaining(pods.map(({ name }) => [`Pod/${name}`, false])),
  );
  const { items } = await view.world.store.list(PodKind, { namespace: 'hello-rc' });
  expect(items.map(({ spec }) => spec.containers[0]?.resources)).toEqual([resources, resources]);
});

it('says of an app that keeps ending why, how often it was restarted, and warns of it', async () => {
  const view = await aZoneView();
  const app = `${server} createServer(() => {}).listen(process.env.PORT, () => setTimeout(() => {
console.error('lost the database'); process.exit(7); }, 300));`;
  await view.deploy(app, {}, false);
  await eventually(async () => {
    const { pods, notRunning, events } = await view.read();
    expect(pods).toMatchObject([{ status: 'CrashLoopBackOff', ready: false }]);
    expect(pods[0]?.restarts).toBeGreaterThanOrEqual(2);
    expect(pods[0]?.whyNotRunning).toMatch(/^CrashLoopBackOff: back-off .*exit code 7\. Its last words: lost the data/);
    expect(notRunning).toBe(pods[0]?.whyNotRunning);
    const backOff = events.filter(({ reason }) => reason === 'BackOff');
    expect(backOff).toMatchObject([{ warning: true, object: `Pod/${pods[0]?.name}` }]);
    expect(backOff[0]?.count).toBeGreaterThanOrEqual(2);
  });
});

it('says of an image that does not exist that it cannot be pulled', async () => {
  const view = await aZoneView();
  await view.applied();
  await view.zone.write(`sha256:${'0'.repeat(64)}`);
  await view.zone.createApplication();
  await eventually(async () => {
    const { pods, notRunning, events } = await view.read();
    expect(pods).toMatchObject([{ status: 'ImagePullBackOff', ready: false, restarts: 0 }]);
    expect(notRunning).toContain('there is no image registry.local/acme/hello@sha256:0000');
    expect(events).toMatchObject([{ reason: 'Failed', warning: true }]);
  });
});

it('says of a zone with 0 replicas that it is meant to run nothing', async () => {
  const view = await aZoneView();
  await view.deploy(quietApp, { replicas: 0 });
  expect(await view.read()).toMatchObject({
    pods: [],
    reservations: { replicas: 0 },
    notRunning: 'It is set to 0 replicas, so no pods run.',
  });
});

it('says of a zone where nothing has come yet that it waits for a Release, and what is asked for', async () => {
  const view = await aZoneView({
    spec: { cpu: '0.5', memory: '128Mi', volumes: [{ name: 'data', size: '1Gi', path: '/data' }] },
  });
  expect(await view.read()).toMatchObject({
    pods: [],
    volumes: [],
    events: [],
    reservations: { replicas: 1, cpu: '0.5', memory: '128Mi', memoryLimit: '128Mi' },
    notRunning: 'No Release has come yet.',
  });
});

it('shows a zone to nobody who may not see its Product, nor through another Product', async () => {
  const view = await aZoneView();
  await view.deploy(quietApp);
  const other = { name: 'other', namespace: 'org-acme' };
  await view.world.store.create(ProductKind, { metadata: other, spec: { repos: [], delivery: { zones: [] } } });
  for (const path of ['', '/logs', '/metrics']) {
    const at = (product: string) => `/v1/orgs/acme/products/${product}/zones/hello-rc${path}`;
    expect((await view.api.request(at('hello'))).status).toBe(200);
    expect((await view.api.request(at('other'))).status).toBe(404);
    expect((await view.api.request(at('hello'), { role: 'no-role' })).status).toBe(403);
  }
});
