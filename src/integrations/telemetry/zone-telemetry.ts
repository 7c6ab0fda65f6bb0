export type LogQuery = {
  /** As many of each pod's last lines that the other filters let through. */
  tailLines: number;
  /** Of this pod alone. */
  pod?: string;
  since?: Date;
  /** Lines that hold this text. */
  contains?: string;
  /** What the pod's container wrote before it was last restarted, instead of since then. */
  previous?: boolean;
};
export type PodLog = { pod: string; lines: { at: string; text: string }[] };

export type SeriesRange = { from: Date; to: Date; stepSeconds: number };
export type Usage = {
  cpuCores: number;
  memoryBytes: number;
  receivedBytesPerSecond: number;
  sentBytesPerSecond: number;
};
/** The mean of the step that begins then. */
export type UsagePoint = { at: string } & Partial<Usage>;
export type PodSeries = { pod: string; points: UsagePoint[] };

/** What the pods of a zone write and use, which no object of the cluster holds. */
export type ZoneTelemetry = {
  /** Of the pods that there are now, by name; one that cannot be asked, or has not started yet, has no lines. */
  logs(zone: string, query: LogQuery): Promise<PodLog[]>;
  /** Of all pods that there were in that time, by name; what was not measured is left out. */
  series(zone: string, range: SeriesRange): Promise<PodSeries[]>;
};
