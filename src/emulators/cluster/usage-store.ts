import { DatabaseSync } from 'node:sqlite';
import type { PodSeries, SeriesRange, Usage } from '../../integrations/telemetry/zone-telemetry.ts';

export type UsageSample = Usage & { zone: string; pod: string; atMs: number };

/** Stores usage samples of pods for the retention period. */
export type UsageStore = {
  record(samples: readonly UsageSample[]): void;
  /** Returns the mean of each step, with the start of the step as its time. */
  series(zone: string, range: SeriesRange): PodSeries[];
  deleteZone(zone: string): void;
  close(): void;
};

const hourMs = 3_600_000;
const retentionMs = 7 * 24 * hourMs;
/** Older samples are reduced to one mean per five minutes, so a week of one pod takes about 3,500 rows. */
const fullResolutionMs = 6 * hourMs;
const coarseStepMs = 300_000;

const averageColumns =
  'avg(cpu_cores) AS cpuCores, avg(memory_bytes) AS memoryBytes, avg(received) AS received, avg(sent) AS sent';
const columns = 'zone, pod, at_ms, cpu_cores, memory_bytes, received, sent';
const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS usage (
    zone TEXT NOT NULL, pod TEXT NOT NULL, at_ms INTEGER NOT NULL, cpu_cores REAL NOT NULL,
    memory_bytes REAL NOT NULL, received REAL NOT NULL, sent REAL NOT NULL,
    PRIMARY KEY (zone, at_ms, pod)
  ) STRICT, WITHOUT ROWID`;

export function openUsageStore(file: string): UsageStore {
  const database = new DatabaseSync(file);
  database.exec(schema);
  const insert = database.prepare(`INSERT OR REPLACE INTO usage (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const select = database.prepare(`
    SELECT pod, CAST((at_ms - $from) / $step AS INTEGER) AS slot, ${averageColumns} FROM usage
    WHERE zone = $zone AND at_ms >= $from AND at_ms < $to GROUP BY pod, slot ORDER BY pod, slot`);
  let downsampledAtMs = 0;

  return {
    record(samples) {
      const [first] = samples;
      if (!first) return;
      database.exec('BEGIN');
      for (const { zone, pod, atMs, cpuCores, memoryBytes, receivedBytesPerSecond, sentBytesPerSecond } of samples)
        insert.run(zone, pod, atMs, cpuCores, memoryBytes, receivedBytesPerSecond, sentBytesPerSecond);
      if (first.atMs - downsampledAtMs > hourMs) downsample(database, (downsampledAtMs = first.atMs));
      database.exec('COMMIT');
    },
    series(zone, { from, to, stepSeconds }) {
      const rows = select.all({ $zone: zone, $from: from.getTime(), $to: to.getTime(), $step: stepSeconds * 1_000 });
      const byPod = Map.groupBy(rows, ({ pod }) => String(pod));
      return [...byPod].map(([pod, points]) => ({
        pod,
        points: points.map((row) => ({
          at: new Date(from.getTime() + Number(row['slot']) * stepSeconds * 1_000).toISOString(),
          cpuCores: Number(row['cpuCores']),
          memoryBytes: Number(row['memoryBytes']),
          receivedBytesPerSecond: Number(row['received']),
          sentBytesPerSecond: Number(row['sent']),
        })),
      }));
    },
    deleteZone: (zone) => void database.prepare('DELETE FROM usage WHERE zone = ?').run(zone),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Deletes expired samples, and merges the samples of each complete coarse step into one row. */
function downsample(database: DatabaseSync, nowMs: number): void {
  const before = Math.floor((nowMs - fullResolutionMs) / coarseStepMs) * coarseStepMs;
  database.prepare('DELETE FROM usage WHERE at_ms < ?').run(nowMs - retentionMs);
  database
    .prepare(
      `INSERT OR REPLACE INTO usage (${columns})
       SELECT zone, pod, at_ms / ${coarseStepMs} * ${coarseStepMs} AS step,
         avg(cpu_cores), avg(memory_bytes), avg(received), avg(sent)
       FROM usage WHERE at_ms < ? GROUP BY zone, pod, step HAVING count(*) > 1 OR max(at_ms % ${coarseStepMs}) > 0`,
    )
    .run(before);
  database.prepare(`DELETE FROM usage WHERE at_ms < ? AND at_ms % ${coarseStepMs} > 0`).run(before);
}
