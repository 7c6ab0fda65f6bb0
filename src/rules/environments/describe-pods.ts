import type { ClusterEvent, ContainerState, PersistentVolumeClaim, Pod } from './cluster-kinds.ts';
import type { Application } from './delivery-kinds.ts';
import type { ZoneSettings } from './zone-values.ts';

export type PodFacts = {
  name: string;
  /** As people know it from the cluster's own tools. */
  status: string;
  ready: boolean;
  whyNotRunning?: string | undefined;
  restarts: number;
  /** Of the process that runs now, or of the pod where none does. */
  startedAt?: string | undefined;
  node?: string | undefined;
  image?: string | undefined;
};

export function describePod({ metadata, spec, status = {} }: Pod): PodFacts {
  const { containerStatuses = [], phase = 'Pending' } = status;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const unready = containerStatuses.find((container) => !container.ready);
  const ready = containerStatuses.length > 0 && !unready && !isGoing;
  const shown = unready ?? containerStatuses[0];
  return {
    name: metadata.name,
    status: isGoing ? 'Terminating' : statusOf(phase, unready?.state),
    ready,
    whyNotRunning: ready ? undefined : whyUnready(status, unready),
    restarts: containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    startedAt: shown?.state?.running?.startedAt ?? status.startTime,
    node: spec.nodeName,
    image: spec.containers[0]?.image,
  };
}

function statusOf(phase: string, unready: ContainerState | undefined): string {
  if (unready?.running) return 'Starting';
  return unready?.waiting?.reason ?? unready?.terminated?.reason ?? phase;
}

type PodStatus = NonNullable<Pod['status']>;
type Container = NonNullable<PodStatus['containerStatuses']>[number];

function whyUnready(status: PodStatus, unready: Container | undefined): string {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return `No node takes it: ${scheduled.message ?? scheduled.reason ?? 'unknown'}`;
  const { state = {}, lastState } = unready ?? {};
  const ended = state.terminated ?? lastState?.terminated;
  const why = [whyWaiting(state), ended && howEnded(ended)].filter(Boolean).join(' ');
  return why || status.message || status.reason || 'The cluster has not started it yet.';
}

function whyWaiting({ running, waiting }: ContainerState): string | undefined {
  if (running) return 'The app does not take connections yet.';
  if (!waiting) return undefined;
  const { reason, message } = waiting;
  const text = message === undefined ? (reason ?? 'It waits') : `${reason}: ${message}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** By signal 9: what ends a process that takes more memory than it may, among others. */
const killedExitCode = 137;

function howEnded({ exitCode, reason, message }: NonNullable<ContainerState['terminated']>): string {
  const memory = reason === 'OOMKilled' ? ': it took more memory than its limit' : '';
  const killed = exitCode === killedExitCode && !memory ? ' (killed, perhaps for taking too much memory)' : '';
  const words = message ? ` Its last words: ${message}` : '';
  return `It last ended with exit code ${exitCode}${killed}${memory}.${words}`;
}

export type VolumeFacts = {
  name: string;
  size?: string | undefined;
  phase: string;
  /** Where the app sees it; without one it holds what a removed volume left, until its claim is deleted by hand. */
  path?: string | undefined;
};

/** The claims that there are, and the volumes that wait for one. */
export function describeVolumes(
  claims: readonly PersistentVolumeClaim[],
  persistence: ZoneSettings['persistence'],
): VolumeFacts[] {
  const held = claims.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    size: status?.capacity?.storage ?? spec.resources?.requests?.storage,
    phase: status?.phase ?? 'Pending',
    path: persistence.find(({ name }) => name === metadata.name)?.mountPath,
  }));
  const waiting = persistence
    .filter(({ name }) => !claims.some(({ metadata }) => metadata.name === name))
    .map(({ name, size, mountPath }) => ({ name, size, phase: 'Pending', path: mountPath }));
  return [...held, ...waiting];
}

const eventsMax = 50;
export type EventFacts = {
  at: string;
  warning: boolean;
  reason: string;
  message: string;
  object: string;
  count: number;
};

/** The newest first. */
export function describeEvents(events: readonly ClusterEvent[]): EventFacts[] {
  return events
    .map(({ metadata, type, reason = '', message = '', involvedObject, ...event }) => ({
      at: event.lastTimestamp ?? event.firstTimestamp ?? metadata.creationTimestamp,
      warning: type === 'Warning',
      reason,
      message,
      object: `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`,
      count: event.count ?? 1,
    }))
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, eventsMax);
}

type Running = {
  /** Another cluster than the service's own. */
  cluster?: string | undefined;
  replicas: number;
  /** A Release has come, or is coming. */
  hasRelease: boolean;
  pods: readonly PodFacts[];
  application: Pick<Application, 'status'> | undefined;
};

/** Why nothing of a zone takes requests, if so. */
export function whyNothingRuns({ cluster, replicas, hasRelease, pods, application }: Running): string | undefined {
  if (pods.some(({ ready }) => ready)) return undefined;
  if (!hasRelease) return 'No Release has come yet.';
  const [why] = pods.flatMap(({ whyNotRunning }) => whyNotRunning ?? []);
  if (why !== undefined) return why;
  if (replicas === 0) return 'It is set to 0 replicas, so no pods run.';
  if (cluster !== undefined) return `It runs in the cluster "${cluster}", whose pods are to be looked at there.`;
  if (!application) return 'Its Application is gone from the cluster. Promote a Release here to bring it back.';
  const { conditions = [], health } = application.status ?? {};
  const comparison = conditions.find(({ type }) => type === 'ComparisonError');
  return comparison?.message ?? health?.message ?? 'The cluster has started no pods yet.';
}
