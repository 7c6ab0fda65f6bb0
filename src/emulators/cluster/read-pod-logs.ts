import type { LogQuery, PodLog } from '../../integrations/telemetry/zone-telemetry.ts';
import type { AppPod } from './app-pod.ts';

type PodRef = Pick<AppPod, 'name' | 'restartCount'>;

/** Selects the requested lines of a zone's log file. Each line has the form `<time> <pod>/<restarts> <line>`. */
export function readPodLogs(text: string, pods: readonly PodRef[], query: LogQuery): PodLog[] {
  const wanted = pods
    .filter(({ name }) => query.pod === undefined || name === query.pod)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, restartCount }) => ({ name, source: `${name}/${query.previous ? restartCount - 1 : restartCount}` }));
  const found = new Map(wanted.map(({ source }): [string, PodLog['lines']] => [source, []]));
  const lines = text.split('\n');
  // Reading starts at the end and stops when every pod has enough lines.
  for (let open = found.size, at = lines.length - 1; at >= 0 && open > 0; at -= 1) {
    const [, time = '', source = '', line = ''] = /^(\S+) (\S+) (.*)$/s.exec(lines[at] ?? '') ?? [];
    const kept = found.get(source);
    if (!kept || kept.length === query.tailLines || !matchesQuery(query, time, line)) continue;
    if (kept.push({ at: time, text: line }) === query.tailLines) open -= 1;
  }
  return wanted.map(({ name, source }) => ({ pod: name, lines: (found.get(source) ?? []).toReversed() }));
}

const matchesQuery = ({ since, contains = '' }: LogQuery, time: string, line: string): boolean =>
  line.includes(contains) && (since === undefined || Date.parse(time) >= since.getTime());
