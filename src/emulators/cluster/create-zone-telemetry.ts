import type { ZoneTelemetry } from '../../integrations/telemetry/zone-telemetry.ts';
import type { LogFile } from './log-file.ts';
import type { AppPod } from './app-pod.ts';
import { readPodLogs } from './read-pod-logs.ts';
import type { UsageStore } from './usage-store.ts';

type TelemetrySources = {
  logFile: (zone: string) => LogFile;
  listPods: (zone: string) => readonly Pick<AppPod, 'name' | 'restartCount'>[];
  usage: UsageStore;
};

export const createZoneTelemetry = ({ logFile, listPods, usage }: TelemetrySources): ZoneTelemetry => ({
  queryLogs: async (zone, query) => readPodLogs(await logFile(zone).read(), listPods(zone), query),
  querySeries: async (zone, range) => usage.series(zone, range),
});
