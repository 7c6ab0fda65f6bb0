/** A cluster cannot search its logs, so a text is searched in this many of the last lines. */
export const searchLinesMax = 20_000;

export type LogQuery = {
  /** The number of last lines per pod, after the other filters. */
  tailLines: number;
  /** Only this pod. */
  pod?: string;
  /** This container instead of the app's, of pods that have it. */
  container?: string;
  since?: Date;
  /** Only lines that contain this text. */
  contains?: string;
  /** Returns the lines from before the last restart instead of those since then. */
  previous?: boolean;
};
export type PodLog = {
  pod: string;
  lines: { at: string; text: string }[];
  /** With `contains`: all matching lines; `isComplete` unless the log is longer than what was searched. */
  matches?: { count: number; isComplete: boolean };
};

export type SeriesRange = { from: Date; to: Date; stepSeconds: number };
export type Usage = {
  cpuCores: number;
  memoryBytes: number;
  receivedBytesPerSecond: number;
  sentBytesPerSecond: number;
};
/** The mean of the step that starts at this time. */
export type UsagePoint = { at: string } & Partial<Usage>;
export type PodSeries = { pod: string; points: UsagePoint[] };

/** The logs and the resource usage of a zone's pods. */
export type ZoneTelemetry = {
  /** Returns the current pods, sorted by name. A pod that is unreachable or has not started has no lines. */
  queryLogs(zone: string, query: LogQuery): Promise<PodLog[]>;
  /** Returns all pods that existed in the range, sorted by name, without steps that have no data. */
  querySeries(zone: string, range: SeriesRange): Promise<PodSeries[]>;
};
