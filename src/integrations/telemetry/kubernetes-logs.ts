import { ServiceError } from '../../errors.ts';
import type { Pod } from '../../kinds/kubernetes.ts';
import type { ApiServer } from '../../store/kubernetes/api-server.ts';
import { searchLinesMax, type LogQuery, type PodLog, type ZoneTelemetry } from './zone-telemetry.ts';

type Api = Pick<ApiServer, 'request' | 'readText' | 'isReady'>;
type Log = Omit<PodLog, 'pod'>;
type Lines = PodLog['lines'];

const podsMax = 500;
const maxConcurrentPods = 8;
/** The text of one pod, and the lines of all pods, are in memory at the same time. */
const bytesPerPodMax = 4 * 2 ** 20;
const bytesMax = 32 * 2 ** 20;
/** The API server waits 30 seconds for an unreachable node, which must not delay the other pods. */
const defaultTimeouts = { podMs: 4_000, allMs: 15_000 };
const unread = { count: 0, isComplete: false };
const defaultContainer = 'kubectl.kubernetes.io/default-container';

/** Reads the logs of a zone's pods from the API server. A pod that takes longer has no lines. */
export function kubernetesLogs(api: Api, timeouts = defaultTimeouts): ZoneTelemetry['queryLogs'] {
  return async (zone, query) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(zone)}/pods`;
    const fieldSelector = query.pod === undefined ? undefined : `metadata.name=${query.pod}`;
    const request = { method: 'GET', path, query: { limit: podsMax, fieldSelector } } as const;
    const { items: pods } = await mapErrors(zone, api.request<{ items: Pod[] }>(request));
    // A workload cluster may send more pods, and longer logs, than it was asked for.
    const items = pods.slice(0, podsMax);
    const limitBytes = Math.min(bytesPerPodMax, Math.ceil(bytesMax / Math.max(1, items.length)));
    const deadline = AbortSignal.timeout(timeouts.allMs);
    const { container } = query;
    const hasContainer = ({ spec }: Pod) =>
      container === undefined || spec.containers.some(({ name }) => name === container);
    const queue = items.filter(hasContainer).values();
    const logs: PodLog[] = [];
    const readNextPods = async (): Promise<void> => {
      for (const pod of queue)
        logs.push({
          pod: pod.metadata.name,
          ...(await readPodLog(api, pod, { ...query, limitBytes, deadline, podMs: timeouts.podMs })),
        });
    };
    await mapErrors(zone, Promise.all(Array.from({ length: maxConcurrentPods }, readNextPods)));
    return logs.toSorted((one, other) => (one.pod < other.pod ? -1 : 1));
  };
}

type PodLogRequest = LogQuery & { limitBytes: number; deadline: AbortSignal; podMs: number };

async function readPodLog(api: Api, pod: Pod, { deadline, podMs, ...query }: PodLogRequest): Promise<Log> {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(podMs)]);
  try {
    return await readLastLines(
      (parameters) =>
        api.readText(
          toLogPath(pod),
          { container: query.container ?? findContainer(pod), ...parameters },
          { signal, bytesMax: query.limitBytes },
        ),
      query,
    );
  } catch (error) {
    // The pod is deleted, has not started or was never restarted, or its node is unreachable.
    if (!isForbidden(error) && (await api.isReady()))
      return { lines: [], ...(query.contains !== undefined && { matches: unread }) };
    throw error;
  }
}

type FetchLog = (parameters: Record<string, string | number | boolean | undefined>) => Promise<string>;

/** The API server cuts off the newest lines at the byte limit, so a cut response is requested again with fewer lines. */
async function readLastLines(
  fetchLog: FetchLog,
  { limitBytes, ...query }: Omit<PodLogRequest, 'deadline' | 'podMs'>,
): Promise<Log> {
  const { tailLines, contains, since, previous } = query;
  let count = contains === undefined ? tailLines : Math.max(tailLines, searchLinesMax);
  for (; ; count = Math.ceil(count / 8)) {
    const text = await fetchLog({
      timestamps: true,
      tailLines: count,
      limitBytes,
      sinceTime: since?.toISOString(),
      ...(previous && { previous }),
    });
    if (count > 1 && Buffer.byteLength(text) >= limitBytes) continue;
    const fetched = text.split('\n').filter(Boolean);
    const found = fetched.flatMap((line) => parseLine(line, query));
    const matches = { count: found.length, isComplete: fetched.length < count };
    return { lines: found.slice(-tailLines), ...(contains !== undefined && { matches }) };
  }
}

function parseLine(line: string, { since, contains = '' }: LogQuery): Lines {
  const [, time = '', text = ''] = /^(\S+) (.*)$/s.exec(line) ?? [];
  const atMs = Date.parse(time);
  // Error messages of a kubelet have no timestamp, and `sinceTime` has a precision of one second.
  if (Number.isNaN(atMs) || (since && atMs < since.getTime()) || !text.includes(contains)) return [];
  return [{ at: new Date(atMs).toISOString(), text }];
}

const toLogPath = ({ metadata: { namespace, name } }: Pod): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace ?? '')}/pods/${encodeURIComponent(name)}/log`;

const findContainer = ({ metadata, spec }: Pod): string | undefined =>
  metadata.annotations?.[defaultContainer] ?? spec.containers[0]?.name;

async function mapErrors<T>(zone: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    // Errors without a code are faults of this service.
    if (!(error instanceof Error && 'code' in error)) throw error;
    const summary = `The logs of zone "${zone}" cannot be read`;
    const status = findHttpStatus(error);
    const cause = isForbidden(error)
      ? `the service account has no permission. Grant it "list" on pods and "get" on pods/log in that namespace`
      : `the cluster’s API server is unavailable${status === undefined ? '' : ` (${status})`}. Retry in a moment`;
    throw new ServiceError('logs-unavailable', `${summary}: ${cause}.`, { retryAfterMs: 5_000 });
  }
}

const isForbidden = (error: unknown): boolean => [401, 403].includes(findHttpStatus(error) ?? 0);

/** Returns the HTTP status of an API server response; connection errors have a text code instead. */
function findHttpStatus(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 400 ? code : undefined;
}
