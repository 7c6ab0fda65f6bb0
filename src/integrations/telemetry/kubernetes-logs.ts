import { ServiceError } from '../../errors.ts';
import type { Pod } from '../../rules/environments/cluster-kinds.ts';
import type { ApiServer } from '../../store/kubernetes/api-server.ts';
import type { LogQuery, PodLog, ZoneTelemetry } from './zone-telemetry.ts';

type Api = Pick<ApiServer, 'ask' | 'text' | 'ready'>;
type Lines = PodLog['lines'];

const podsMax = 500;
const podsAtOnce = 8;
/** All that is read is in memory at once, and the lines of all pods until they are answered. */
const bytesPerPodMax = 4 * 2 ** 20;
const bytesMax = 32 * 2 ** 20;
/** How far back lines are looked for that hold a text: the API server cannot look for them itself. */
const searchedLines = 20_000;
/** The API server waits half a minute for a node that is away; the lines of the other pods should not. */
const podPatienceMs = 4_000;
const patienceMs = 15_000;
const defaultContainer = 'kubectl.kubernetes.io/default-container';

/** Asks the API server for what the pods of a zone wrote. */
export function kubernetesLogs(api: Api): ZoneTelemetry['logs'] {
  return async (zone, query) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(zone)}/pods`;
    const fieldSelector = query.pod === undefined ? undefined : `metadata.name=${query.pod}`;
    const asked = { method: 'GET', path, query: { limit: podsMax, fieldSelector } } as const;
    const { items } = await inWords(zone, api.ask<{ items: Pod[] }>(asked));
    const limitBytes = Math.min(bytesPerPodMax, Math.ceil(bytesMax / Math.max(1, items.length)));
    const over = AbortSignal.timeout(patienceMs);
    const waiting = items.values();
    const logs: PodLog[] = [];
    const readInTurn = async (): Promise<void> => {
      for (const pod of waiting)
        logs.push({ pod: pod.metadata.name, lines: await linesOf(api, pod, { ...query, limitBytes, over }) });
    };
    await inWords(zone, Promise.all(Array.from({ length: podsAtOnce }, readInTurn)));
    return logs.toSorted((one, other) => (one.pod < other.pod ? -1 : 1));
  };
}

type Wanted = LogQuery & { limitBytes: number; over: AbortSignal };

async function linesOf(api: Api, pod: Pod, { over, ...wanted }: Wanted): Promise<Lines> {
  const signal = AbortSignal.any([over, AbortSignal.timeout(podPatienceMs)]);
  try {
    return await lastLines(
      (query) => api.text(logPath(pod), { container: containerOf(pod), ...query }, signal),
      wanted,
    );
  } catch (error) {
    // It is gone, has not started, was never restarted, or its node does not answer.
    if (!isForbidden(error) && (await api.ready())) return [];
    throw error;
  }
}

type AskForLog = (query: Record<string, string | number | boolean | undefined>) => Promise<string>;

/** Where so many lines are more bytes than may be read, the newest are what is missing: fewer are asked for then. */
async function lastLines(ask: AskForLog, { limitBytes, ...wanted }: Omit<Wanted, 'over'>): Promise<Lines> {
  const { tailLines, contains, since, previous } = wanted;
  let count = contains === undefined ? tailLines : Math.max(tailLines, searchedLines);
  for (; ; count = Math.ceil(count / 8)) {
    const text = await ask({
      timestamps: true,
      tailLines: count,
      limitBytes,
      sinceTime: since?.toISOString(),
      ...(previous && { previous }),
    });
    if (count > 1 && Buffer.byteLength(text) >= limitBytes) continue;
    return text
      .split('\n')
      .flatMap((line) => asAsked(line, wanted))
      .slice(-tailLines);
  }
}

function asAsked(line: string, { since, contains = '' }: LogQuery): Lines {
  const [, time = '', text = ''] = /^(\S+) (.*)$/s.exec(line) ?? [];
  const atMs = Date.parse(time);
  // A kubelet's own complaints have no time. Nodes are asked for whole seconds.
  if (Number.isNaN(atMs) || (since && atMs < since.getTime()) || !text.includes(contains)) return [];
  return [{ at: new Date(atMs).toISOString(), text }];
}

const logPath = ({ metadata: { namespace, name } }: Pod): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace ?? '')}/pods/${encodeURIComponent(name)}/log`;

const containerOf = ({ metadata, spec }: Pod): string | undefined =>
  metadata.annotations?.[defaultContainer] ?? spec.containers[0]?.name;

async function inWords<T>(zone: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // What has no code is a fault of ours.
    if (!(error instanceof Error && 'code' in error)) throw error;
    const cannot = `What the pods of "${zone}" write cannot be read`;
    const status = statusOf(error);
    const fix = isForbidden(error)
      ? `the service’s own account may not. Give it "list" of pods and "get" of pods/log in that namespace`
      : `the cluster’s API server does not answer as it should${status === undefined ? '' : ` (${status})`}. Try again in a moment`;
    throw new ServiceError('unavailable', `${cannot}: ${fix}.`, { retryAfterMs: 5_000 });
  }
}

const isForbidden = (error: unknown): boolean => [401, 403].includes(statusOf(error) ?? 0);

/** That of an answer of the API server; what broke off has a code of its own. */
function statusOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 400 ? code : undefined;
}
