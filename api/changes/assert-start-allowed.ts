import { ServiceError } from '../../src/errors.ts';
import { AgentWorkflowRunKind, type RunTarget } from '../../src/rules/changes/kinds.ts';
import { startLimitMessage, remainingStarts } from '../../src/rules/changes/start-rate-limit.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps } from '../deps.ts';

/** Throws when the runs of a target within the last hour have reached the limit of the org. */
export async function assertStartAllowed(
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  org: string,
  { repo, number }: RunTarget,
): Promise<void> {
  const { spec } = await getOrganization(store, org);
  const fields = { 'spec.target.repo': repo, 'spec.target.number': String(number) };
  const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields });
  const startedAt = items.map(({ metadata }) => metadata.creationTimestamp);
  const { remaining, limit, retryAfterMs } = remainingStarts(startedAt, now(), spec.agents?.runsPerTargetPerHour);
  if (remaining > 0) return;
  throw new ServiceError(
    'start-limit-reached',
    `The run for ${repo}#${number} was not started: ${startLimitMessage(limit)}. Wait, or ask an org admin to raise the limit of runs per target and hour (Settings, Models).`,
    { retryAfterMs },
  );
}
