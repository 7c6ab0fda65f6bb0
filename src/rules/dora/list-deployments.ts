import type { DoraRecords, IncidentRecord, PromotionRecord } from './records.ts';

export type Deployment = {
  promotion: PromotionRecord;
  /** The time at which it became healthy, or at which it failed before that. */
  at: number;
  isHealthy: boolean;
  /** Why it counts as failed: it did not get through, or an incident followed. */
  failure?: 'promotion-failed' | 'incident';
  /** Warning and critical incidents that are attributed to it. */
  incidents: IncidentRecord[];
};

/**
 * Returns every attempt to deploy to a release zone, in no order. An attempt that was rejected, superseded or cancelled
 * before it became healthy never reached the users, and is none.
 */
export function listDeployments(
  { promotions, incidents }: Pick<DoraRecords, 'promotions' | 'incidents'>,
  releaseZones: ReadonlySet<string>,
): Deployment[] {
  const caused = Map.groupBy(incidents.filter(isServiceFailure), ({ promotion }) => promotion);
  return promotions.flatMap((promotion) => {
    const { name, zone, phase, healthyAt, finishedAt } = promotion;
    const at = healthyAt ?? (phase === 'Failed' ? finishedAt : undefined);
    if (at === undefined || !releaseZones.has(zone)) return [];
    const followed = caused.get(name) ?? [];
    const failure = phase === 'Failed' ? 'promotion-failed' : followed.length > 0 ? 'incident' : undefined;
    return [{ promotion, at, isHealthy: healthyAt !== undefined, incidents: followed, ...(failure && { failure }) }];
  });
}

/** Returns, by Release, the deployment by which it first became healthy in a release zone. */
export function findFirstHealthy(deployments: readonly Deployment[]): Map<string, Deployment> {
  const first = new Map<string, Deployment>();
  for (const deployment of deployments) {
    if (!deployment.isHealthy) continue;
    const { release } = deployment.promotion;
    const known = first.get(release);
    if (!known || deployment.at < known.at) first.set(release, deployment);
  }
  return first;
}

/** An incident of severity `info` is not a failure of the service. */
export const isServiceFailure = ({ severity }: IncidentRecord): boolean => severity !== 'info';
