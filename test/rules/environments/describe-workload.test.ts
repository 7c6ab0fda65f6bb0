import { describe, expect, it } from 'vitest';
import type { CoreV1Event, PersistentVolumeClaim, Pod } from '../../../src/kinds/kubernetes.ts';
import {
  describeEvents,
  describePod,
  describeVolumes,
  notRunningReason,
} from '../../../src/rules/environments/describe-workload.ts';

const metadata = {
  name: 'hello-1',
  namespace: 'hello-rc',
  uid: 'u',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
};
type Status = NonNullable<Pod['status']>;
type Container = NonNullable<Status['containerStatuses']>[number];
const aPod = (status?: Status, more: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, ...more },
  spec: { containers: [{ name: 'app' }] },
  ...(status ? { status } : {}),
});
const withContainer = (given: Partial<Container>, status: Status = { phase: 'Running' }): Status => ({
  ...status,
  containerStatuses: [{ name: 'app', ready: false, restartCount: 2, ...given }],
});
const ended = (exitCode: number, more: { reason?: string; message?: string } = {}) => ({
  terminated: { exitCode, ...more },
});

describe('a pod', () => {
  it.each<[title: string, status: Status | undefined, shown: string, reason: string | undefined]>([
    ['runs', withContainer({ ready: true, state: { running: {} } }), 'Running', undefined],
    ['is not scheduled yet', undefined, 'Pending', 'The cluster has not started the pod yet.'],
    [
      'cannot be scheduled',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes: no memory' }] },
      'Pending',
      'No node can run the pod: 0/3 nodes: no memory',
    ],
    [
      'does not listen yet',
      withContainer({ state: { running: {} } }),
      'Starting',
      'The app does not accept connections yet.',
    ],
    [
      'is restarting',
      withContainer({ state: { running: {} }, lastState: ended(1) }),
      'Starting',
      'The app does not accept connections yet. The last run exited with code 1.',
    ],
    [
      'exceeded its memory limit',
      withContainer({
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: ended(137, { reason: 'OOMKilled' }),
      }),
      'CrashLoopBackOff',
      'CrashLoopBackOff. The last run exited with code 137: it exceeded its memory limit.',
    ],
    [
      'was killed for another reason',
      withContainer({ state: ended(137, { reason: 'Error' }) }),
      'Error',
      'The last run exited with code 137 (killed, perhaps for exceeding its memory limit).',
    ],
    [
      'has no image',
      withContainer({ state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } }, { phase: 'Pending' }),
      'ImagePullBackOff',
      'ImagePullBackOff: not found.',
    ],
    [
      'was evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on disk.' },
      'Failed',
      'The node was low on disk.',
    ],
  ])('that %s', (_, ...[status, shown, reason]) => {
    expect(describePod(aPod(status))).toMatchObject({ status: shown, ready: reason === undefined });
    expect(describePod(aPod(status)).notReadyReason).toBe(reason);
  });

  it('shows the first of several containers that are not ready', () => {
    const status: Status = {
      phase: 'Pending',
      containerStatuses: [
        { name: 'proxy', ready: true, restartCount: 0, state: { running: {} } },
        { name: 'app', ready: false, restartCount: 1, state: { waiting: { reason: 'ErrImagePull' } } },
        { name: 'agent', ready: false, restartCount: 2, state: { waiting: { reason: 'ContainerCreating' } } },
      ],
    };
    expect(describePod(aPod(status))).toMatchObject({ status: 'ErrImagePull', ready: false, restarts: 3 });
  });

  it('that is terminating is not ready, and counts the restarts of all its containers', () => {
    const status = withContainer({ ready: true, state: { running: { startedAt: '2026-01-02T00:00:00Z' } } });
    const summary = describePod(aPod(status, { deletionTimestamp: '2026-01-03T00:00:00Z' }));
    expect(summary).toMatchObject({
      status: 'Terminating',
      ready: false,
      restarts: 2,
      startedAt: '2026-01-02T00:00:00Z',
    });
  });
});

it('lists existing claims, claims of removed volumes without a path, and volumes without a claim', () => {
  const claim = (name: string): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, name },
    spec: { resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Bound', capacity: { storage: '2Gi' } },
  });
  const persistence = [
    { name: 'data', size: '1Gi', mountPath: '/data' },
    { name: 'next', size: '3Gi', mountPath: '/next' },
  ];
  expect(describeVolumes([claim('data'), claim('left')], persistence)).toEqual([
    { name: 'data', size: '2Gi', phase: 'Bound', mountPath: '/data' },
    { name: 'left', size: '2Gi', phase: 'Bound' },
    { name: 'next', size: '3Gi', phase: 'Pending', mountPath: '/next' },
  ]);
});

it('lists the newest 50 events, with warnings marked', () => {
  const events = Array.from({ length: 60 }, (_, at): CoreV1Event => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: { kind: 'Pod', name: `p${at}` },
    type: at === 59 ? 'Warning' : 'Normal',
    lastTimestamp: new Date(at * 1_000).toISOString(),
  }));
  const shown = describeEvents(events);
  expect(shown).toHaveLength(50);
  expect(shown[0]).toMatchObject({ object: 'Pod/p59', warning: true, count: 1 });
  expect(shown.at(-1)).toMatchObject({ object: 'Pod/p10', warning: false });
});

describe('notRunningReason', () => {
  const pod = { name: 'p', status: 'Running', ready: true, restarts: 0 };
  const broken = { ...pod, ready: false, notReadyReason: 'it is broken' };
  const comparison = { status: { conditions: [{ type: 'ComparisonError', message: 'no values file' }] } };
  const usual = { replicas: 1, hasRelease: true, pods: [], application: undefined };
  it.each([
    ['one of several pods is ready', { pods: [broken, pod] }, undefined],
    ['no pod is ready', { pods: [broken] }, 'it is broken'],
    ['no Release was promoted', { hasRelease: false }, 'No Release has been promoted yet.'],
    ['the zone has no replicas', { replicas: 0 }, 'The zone has 0 replicas, so no pods run.'],
    [
      'the zone runs in another cluster',
      { inaccessibleCluster: 'apart' },
      'The zone runs in the cluster "apart", which the service cannot read now. A platform admin sees the reason under Settings, Clusters.',
    ],
    ['the values cannot be read', { application: comparison }, 'no values file'],
    [
      'the sync failed, before the health',
      {
        application: {
          status: {
            conditions: [
              { type: 'OrphanedResourceWarning', message: 'an orphan' },
              { type: 'SyncError', message: 'failed' },
            ],
            health: { status: 'Degraded' as const, message: 'bad' },
          },
        },
      },
      'failed',
    ],
    [
      'the app is unhealthy',
      { application: { status: { health: { status: 'Degraded' as const, message: 'bad' } } } },
      'bad',
    ],
    ['the cluster has not started any pod', { application: {} }, 'The cluster has started no pods yet.'],
    [
      'the Application was deleted',
      {},
      'The Application does not exist in the cluster. Promote a Release to create it.',
    ],
  ])('explains that %s', (_, given, reason) => {
    expect(notRunningReason({ ...usual, ...given })).toBe(reason);
  });
});

it('takes the requested size of a claim that is not bound yet', () => {
  const claim = { metadata: { ...metadata, name: 'data' }, spec: { resources: { requests: { storage: '2Gi' } } } };
  const persistence = [{ name: 'data', size: '2Gi', mountPath: '/data' }];
  expect(describeVolumes([claim as PersistentVolumeClaim], persistence)).toEqual([
    { name: 'data', size: '2Gi', phase: 'Pending', mountPath: '/data' },
  ]);
});

it('dates an event by its last occurrence, its first one, or its creation', () => {
  const toEvent = (more: object) => ({ metadata, involvedObject: {}, ...more }) as CoreV1Event;
  const [first, last] = ['2026-01-01T00:00:02Z', '2026-01-01T00:00:03Z'];
  const shown = describeEvents([
    toEvent({}),
    toEvent({ firstTimestamp: first, count: 4 }),
    toEvent({ firstTimestamp: first, lastTimestamp: last, involvedObject: { kind: 'Pod', name: 'a' } }),
  ]);
  expect(shown.map(({ at, count, object }) => `${at} ${count} ${object}`)).toEqual([
    `${last} 1 Pod/a`,
    `${first} 4 /`,
    `${metadata.creationTimestamp} 1 /`,
  ]);
});

it.each<[status: Status, reason: string]>([
  [{ conditions: [{ type: 'PodScheduled', status: 'False', message: 'no memory' }] }, 'run the pod: no memory'],
  [{ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Full' }] }, 'run the pod: Full'],
  [{ conditions: [{ type: 'PodScheduled', status: 'False' }] }, 'run the pod: unknown'],
  [withContainer({ state: { waiting: { reason: 'ImagePull', message: 'gone.' } } }), 'ImagePull: gone.'],
  [withContainer({ state: { waiting: { reason: 'ImagePull' } } }), 'ImagePull.'],
  [withContainer({ state: { waiting: {} } }), 'The container is waiting.'],
  [withContainer({ state: ended(1, { message: 'boom' }) }), 'The last run exited with code 1. Last output: boom'],
  [withContainer({ state: ended(137) }), 'code 137 (killed, perhaps for exceeding its memory limit).'],
  [withContainer({ state: ended(137, { reason: 'OOMKilled' }) }), 'code 137: it exceeded its memory limit.'],
  [{ phase: 'Pending', message: 'evicted' }, 'evicted'],
  [{ phase: 'Pending', reason: 'Evicted' }, 'Evicted'],
])('says why a pod with the status %j is not ready', (status, reason) => {
  expect(describePod(aPod(status)).notReadyReason).toContain(reason);
});
