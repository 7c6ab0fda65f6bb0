import type { CoreV1Event, ContainerState, PersistentVolumeClaim, Pod } from '../../kinds/kubernetes.ts';
import type { Application } from '../../kinds/argo-cd.ts';
import type { ZoneSettings } from './settings.ts';

export type PodSummary = {
  name: string;
  /** The status as kubectl shows it. */
  status: string;
  ready: boolean;
  notReadyReason?: string | undefined;
  restarts: number;
  /** The start of the running process, or of the pod when no process runs. */
  startedAt?: string | undefined;
  node?: string | undefined;
  image?: string | undefined;
  containers: string[];
};

export function describePod({ metadata, spec, status = {} }: Pod): PodSummary {
  const { containerStatuses = [], phase = 'Pending' } = status;
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const unready = containerStatuses.find((container) => !container.ready);
  const ready = containerStatuses.length > 0 && !unready && !isTerminating;
  const shown = unready ?? containerStatuses[0];
  return {
    name: metadata.name,
    status: isTerminating ? 'Terminating' : toDisplayStatus(phase, unready?.state),
    ready,
    notReadyReason: ready ? undefined : notReadyReason(status, unready),
    restarts: containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    startedAt: shown?.state?.running?.startedAt ?? status.startTime,
    node: spec.nodeName,
    image: spec.containers[0]?.image,
    containers: spec.containers.map(({ name }) => name),
  };
}

function toDisplayStatus(phase: string, unready: ContainerState | undefined): string {
  if (unready?.running) return 'Starting';
  return unready?.waiting?.reason ?? unready?.terminated?.reason ?? phase;
}

type PodStatus = NonNullable<Pod['status']>;
type Container = NonNullable<PodStatus['containerStatuses']>[number];

function notReadyReason(status: PodStatus, unready: Container | undefined): string {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return `No node can run the pod: ${scheduled.message ?? scheduled.reason ?? 'unknown'}`;
  const { state = {}, lastState } = unready ?? {};
  const ended = state.terminated ?? lastState?.terminated;
  const reason = [waitingReason(state), ended && describeTermination(ended)].filter(Boolean).join(' ');
  return reason || status.message || status.reason || 'The cluster has not started the pod yet.';
}

function waitingReason({ running, waiting }: ContainerState): string | undefined {
  if (running) return 'The app does not accept connections yet.';
  if (!waiting) return undefined;
  const { reason, message } = waiting;
  const text = message === undefined ? (reason ?? 'The container is waiting') : `${reason}: ${message}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** The exit code after SIGKILL, which also ends a process that exceeds its memory limit. */
const killedExitCode = 137;

function describeTermination({ exitCode, reason, message }: NonNullable<ContainerState['terminated']>): string {
  const memory = reason === 'OOMKilled' ? ': it exceeded its memory limit' : '';
  const killed = exitCode === killedExitCode && !memory ? ' (killed, perhaps for exceeding its memory limit)' : '';
  const output = message ? ` Last output: ${message}` : '';
  return `The last run exited with code ${exitCode}${killed}${memory}.${output}`;
}

export type VolumeSummary = {
  name: string;
  size?: string | undefined;
  phase: string;
  /** The mount path; absent for the claim of a removed volume, which stays until a person deletes it. */
  mountPath?: string | undefined;
};

/** Lists the existing claims, and the volumes that do not have one yet. */
export function describeVolumes(
  claims: readonly PersistentVolumeClaim[],
  persistence: ZoneSettings['persistence'],
): VolumeSummary[] {
  const claimed = claims.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    size: status?.capacity?.storage ?? spec.resources?.requests?.storage,
    phase: status?.phase ?? 'Pending',
    mountPath: persistence.find(({ name }) => name === metadata.name)?.mountPath,
  }));
  const unclaimed = persistence
    .filter(({ name }) => !claims.some(({ metadata }) => metadata.name === name))
    .map(({ name, size, mountPath }) => ({ name, size, phase: 'Pending', mountPath }));
  return [...claimed, ...unclaimed];
}

const eventsMax = 50;
export type EventSummary = {
  at: string;
  warning: boolean;
  reason: string;
  message: string;
  object: string;
  count: number;
};

/** Lists the newest events first. */
export function describeEvents(events: readonly CoreV1Event[]): EventSummary[] {
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

type ZoneRuntime = {
  /** The workload cluster of the zone, if the service has no access to it. */
  inaccessibleCluster?: string | undefined;
  replicas: number;
  /** True when a Release runs in the zone or is being promoted. */
  hasRelease: boolean;
  pods: readonly Omit<PodSummary, 'containers'>[];
  application: Pick<Application, 'status'> | undefined;
};

/** Returns why no pod of a zone is ready, or undefined when one is. */
export function notRunningReason({
  inaccessibleCluster,
  replicas,
  hasRelease,
  pods,
  application,
}: ZoneRuntime): string | undefined {
  if (pods.some(({ ready }) => ready)) return undefined;
  if (!hasRelease) return 'No Release has been promoted yet.';
  const [reason] = pods.flatMap(({ notReadyReason }) => notReadyReason ?? []);
  if (reason !== undefined) return reason;
  if (replicas === 0) return 'The zone has 0 replicas, so no pods run.';
  if (inaccessibleCluster !== undefined)
    return `The zone runs in the cluster "${inaccessibleCluster}", which the service cannot read now. A platform admin sees the reason under Settings, Clusters.`;
  if (!application) return 'The Application does not exist in the cluster. Promote a Release to create it.';
  const { conditions = [], health } = application.status ?? {};
  const refusal = conditions.find(({ type }) =>
    ['InvalidSpecError', 'UnknownError', 'ComparisonError', 'SyncError'].includes(type),
  );
  return refusal?.message ?? health?.message ?? 'The cluster has started no pods yet.';
}
