import type { IncidentSeverity } from './kinds.ts';

/** One episode of an alert, from when it began to fire until it cleared. */
export type AlertEpisode = {
  org: string;
  product: string;
  zone?: string;
  severity: IncidentSeverity;
  title: string;
  /** The description that the rule gives, with the figures of the moment. */
  text?: string;
  name: string;
  /** A hash of the alert's labels, which is the same in each episode. */
  fingerprint: string;
  startsAt: string;
  /** Absent while the alert fires. */
  endsAt?: string;
  /** The time at which Alertmanager last received it as firing, which only its list of alerts has. */
  updatedAt?: string;
  slo?: string;
  ruleUrl?: string;
};
