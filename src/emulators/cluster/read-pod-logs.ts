import type { LogQuery, PodLog } from '../../integrations/telemetry/zone-telemetry.ts';
import { containerName, type AppPod } from './app-pod.ts';

type Found = { lines: PodLog['lines']; count: number };
type PodRef = Pick<AppPod, 'name' | 'restartCount'>;

/** Selects the requested lines of a zone's log file. Each line has the form `<time> <pod>/<restarts> <line>`. */
export function readPodLogs(text: string, pods: readonly PodRef[], query: LogQuery): PodLog[] {
  const { pod, container, previous = false, contains, tailLines } = query;
  const wanted = pods
    .filter(({ name }) => (pod === undefined || name === pod) && (container ?? containerName) === containerName)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, restartCount }) => ({ name, source: `${name}/${previous ? restartCount - 1 : restartCount}` }));
  const found = new Map(wanted.map(({ source }): [string, Found] => [source, { lines: [], count: 0 }]));
  const lines = text.split('\n');
  // Reading starts at the end and stops when every pod has enough lines, unless all matches are counted.
  for (let open = found.size, at = lines.length - 1; at >= 0 && open > 0; at -= 1) {
    const [, time = '', source = '', line = ''] = /^(\S+) (\S+) (.*)$/s.exec(lines[at] ?? '') ?? [];
    const entry = found.get(source);
    if (!entry || !matchesQuery(query, time, line)) continue;
    entry.count += 1;
    if (entry.lines.length < tailLines) entry.lines.push({ at: time, text: line });
    if (entry.count === tailLines && contains === undefined) open -= 1;
  }
  return wanted.map(({ name, source }) => {
    const entry = found.get(source) ?? { lines: [], count: 0 };
    const matches = { count: entry.count, isComplete: true };
    return { pod: name, lines: entry.lines.toReversed(), ...(contains !== undefined && { matches }) };
  });
}

const matchesQuery = ({ since, contains = '' }: LogQuery, time: string, line: string): boolean =>
  line.includes(contains) && (since === undefined || Date.parse(time) >= since.getTime());
