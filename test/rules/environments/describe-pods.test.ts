import { describe, expect, it } from 'vitest';
import type { ClusterEvent, PersistentVolumeClaim, Pod } from '../../../src/rules/environments/cluster-kinds.ts';
import {
  describeEvents,
  describePod,
  describeVolumes,
  whyNothingRuns,
} from '../../../src/rules/environments/describe-pods.ts';

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
  it.each<[what: string, status: Status | undefined, shown: string, why: string | undefined]>([
    ['runs', withContainer({ ready: true, state: { running: {} } }), 'Running', undefined],
    ['is unknown to any node yet', undefined, 'Pending', 'The cluster has not started it yet.'],
    [
      'fits on no node',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes: no memory' }] },
      'Pending',
      'No node takes it: 0/3 nodes: no memory',
    ],
    [
      'does not listen yet',
      withContainer({ state: { running: {} } }),
      'Starting',
      'The app does not take connections yet.',
    ],
    [
      'is started again',
      withContainer({ state: { running: {} }, lastState: ended(1) }),
      'Starting',
      'The app does not take connections yet. It last ended with exit code 1.',
    ],
    [
      'took too much memory',
      withContainer({
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: ended(137, { reason: 'OOMKilled' }),
      }),
      'CrashLoopBackOff',
      'CrashLoopBackOff. It last ended with exit code 137: it took more memory than its limit.',
    ],
    [
      'was killed by something',
      withContainer({ state: ended(137, { reason: 'Error' }) }),
      'Error',
      'It last ended with exit code 137 (killed, perhaps for taking too much memory).',
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
  ])('that %s', (_, ...[status, shown, why]) => {
    expect(describePod(aPod(status))).toMatchObject({ status: shown, ready: why === undefined });
    expect(describePod(aPod(status)).whyNotRunning).toBe(why);
  });

  it('that is going is not ready, and restarts are those of all its containers', () => {
    const status = withContainer({ ready: true, state: { running: { startedAt: '2026-01-02T00:00:00Z' } } });
    const going = describePod(aPod(status, { deletionTimestamp: '2026-01-03T00:00:00Z' }));
    expect(going).toMatchObject({
      status: 'Terminating',
      ready: false,
      restarts: 2,
      startedAt: '2026-01-02T00:00:00Z',
    });
  });
});

it('volumes are the claims there are, those left behind without a path, and those still to come', () => {
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
    { name: 'data', size: '2Gi', phase: 'Bound', path: '/data' },
    { name: 'left', size: '2Gi', phase: 'Bound' },
    { name: 'next', size: '3Gi', phase: 'Pending', path: '/next' },
  ]);
});

it('events are the newest 50, with warnings marked', () => {
  const events = Array.from({ length: 60 }, (_, at): ClusterEvent => ({
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

describe('why nothing runs', () => {
  const pod = { name: 'p', status: 'Running', ready: true, restarts: 0 };
  const broken = { ...pod, ready: false, whyNotRunning: 'it is broken' };
  const comparison = { status: { conditions: [{ type: 'ComparisonError', message: 'no values file' }] } };
  const usual = { replicas: 1, hasRelease: true, pods: [], application: undefined };
  it.each([
    ['one of several pods is ready', { pods: [broken, pod] }, undefined],
    ['no pod is ready', { pods: [broken] }, 'it is broken'],
    ['nothing has come', { hasRelease: false }, 'No Release has come yet.'],
    ['nothing is meant to run', { replicas: 0 }, 'It is set to 0 replicas, so no pods run.'],
    [
      'it runs elsewhere',
      { cluster: 'apart' },
      'It runs in the cluster "apart", whose pods are to be looked at there.',
    ],
    ['the values cannot be read', { application: comparison }, 'no values file'],
    ['the cluster has done nothing', { application: {} }, 'The cluster has started no pods yet.'],
    [
      'somebody took its Application away',
      {},
      'Its Application is gone from the cluster. Promote a Release here to bring it back.',
    ],
  ])('where %s', (_, given, why) => {
    expect(whyNothingRuns({ ...usual, ...given })).toBe(why);
  });
});
