import type { SeriesRange } from './zone-telemetry.ts';

export type Sample = { labels: Record<string, string>; value: number };
export type Series = { labels: Record<string, string>; points: { at: Date; value: number }[] };

/** A loaded rule. `error` says why its last evaluation failed. */
export type LoadedRule = {
  kind: 'alerting' | 'recording';
  /** The name of the alert or of the recorded series. */
  name: string;
  query: string;
  labels: Record<string, string>;
  health: 'ok' | 'err' | 'unknown';
  error?: string;
  /** Absent before the first evaluation. */
  lastEvaluation?: Date;
  /** Only an alerting rule has one. */
  state?: 'inactive' | 'pending' | 'firing';
};
export type LoadedRuleGroup = { name: string; file: string; intervalSeconds: number; rules: LoadedRule[] };

export type ActiveAlert = {
  /** A hash of the labels, which is the same in each episode of the alert. */
  fingerprint: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: Date;
  endsAt: Date;
  /** The time at which Alertmanager last received the alert. */
  updatedAt: Date;
  /** The URL of the rule in Prometheus. */
  generatorURL?: string;
  state: 'active' | 'suppressed' | 'unprocessed';
  receivers: string[];
};

/** The metrics of apps, the rules over them and the alerts. Everything throws a ServiceError that says why it is unavailable. */
export type Monitoring = {
  /** Evaluates an expression whose result is a vector or a scalar, now or at a time. */
  queryInstant(promql: string, at?: Date): Promise<Sample[]>;
  /** Evaluates an expression at each step of a range, at the step's end. */
  queryRange(promql: string, range: SeriesRange): Promise<Series[]>;
  listRules(): Promise<LoadedRuleGroup[]>;
  /** Lists the alerts with the label of a namespace that Alertmanager holds, silenced ones included. */
  listAlerts(namespace: string): Promise<ActiveAlert[]>;
};
