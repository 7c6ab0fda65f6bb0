import type { ZoneTelemetry } from '../../integrations/telemetry/zone-telemetry.ts';
import type { LogFile } from './app-log.ts';
import type { AppPod } from './app-pod.ts';
import { readPodLogs } from './read-pod-logs.ts';
import type { UsageRecord } from './usage.ts';

type Sources = {
  logFile: (zone: string) => LogFile;
  podsOf: (zone: string) => readonly Pick<AppPod, 'name' | 'restarts'>[];
  usage: UsageRecord;
};

export const localTelemetry = ({ logFile, podsOf, usage }: Sources): ZoneTelemetry => ({
  logs: async (zone, query) => readPodLogs(await logFile(zone).read(), podsOf(zone), query),
  series: async (zone, range) => usage.series(zone, range),
});
