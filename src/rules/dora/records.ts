import { defined } from '../../defined.ts';
import type { AgentWorkflowRun } from '../changes/kinds.ts';
import type { IncidentSpec, IncidentStatus } from '../incidents/kinds.ts';
import type { Promotion, PromotionSpec } from '../promotions/kinds.ts';
import type { Release, ZonePhase } from '../releases/kinds.ts';
import type { Resource } from '../resource.ts';

/** The part of a Promotion that the measures need; times are milliseconds since 1970. */
export type PromotionRecord = {
  name: string;
  product: string;
  zone: string;
  release: string;
  version: string;
  trigger: PromotionSpec['trigger'];
  startedBy: string;
  phase: ZonePhase;
  healthyAt?: number;
  finishedAt?: number;
  failure?: string;
};
export type ReleaseRecord = {
  name: string;
  product: string;
  repo: string;
  version: string;
  commit: string;
  run?: string;
  /** The first start: a Release that starts again is as old as before. */
  startedAt?: number;
};
/** A run that merged its pull request; `repo` is absent for a run without an issue or pull request. */
export type ChangeRecord = { name: string; product: string; repo?: string; mergedAt: number; mergeCommit?: string };
export type IncidentRecord = {
  name: string;
  product: string;
  zone?: string;
  title: string;
  severity: IncidentSpec['severity'];
  openedAt: number;
  resolvedAt?: number;
  /** The Promotion that counts as its cause, which was decided when it opened. */
  promotion?: string;
};
export type DoraRecords = {
  promotions: readonly PromotionRecord[];
  releases: readonly ReleaseRecord[];
  changes: readonly ChangeRecord[];
  incidents: readonly IncidentRecord[];
};

const toTime = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : Date.parse(timestamp);

export function toPromotionRecord({ metadata, spec, status }: Promotion): PromotionRecord {
  const { product, zone, release, version, trigger, startedBy } = spec;
  return defined({
    name: metadata.name,
    product,
    zone,
    release,
    version,
    trigger,
    startedBy,
    phase: status?.phase ?? 'Pending',
    healthyAt: toTime(status?.healthyAt),
    finishedAt: toTime(status?.finishedAt),
    failure: status?.failure?.message,
  });
}

export function toReleaseRecord({ metadata, spec, status }: Release): ReleaseRecord {
  const { product, repo, version, commit, run } = spec;
  const startedAt = toTime(status?.attempts?.[0]?.startedAt ?? status?.startedAt);
  return defined({ name: metadata.name, product, repo, version, commit, run, startedAt });
}

/** Returns undefined for a run that has not merged anything. */
export function toChangeRecord({ metadata, spec, status }: AgentWorkflowRun): ChangeRecord | undefined {
  const { mergedAt, mergeCommit } = status ?? {};
  if (mergedAt === undefined) return undefined;
  const { product, target } = spec;
  return defined({
    name: metadata.name,
    product,
    repo: target?.repo,
    mergedAt: Date.parse(mergedAt),
    mergeCommit,
  });
}

export function toIncidentRecord({
  metadata,
  spec,
  status,
}: Resource<IncidentSpec, IncidentStatus>): IncidentRecord | undefined {
  if (!status) return undefined;
  const { product, zone, title, severity } = spec;
  return defined({
    name: metadata.name,
    product,
    zone,
    title,
    severity,
    openedAt: Date.parse(status.openedAt),
    resolvedAt: toTime(status.resolvedAt),
    promotion: status.promotion?.name,
  });
}
