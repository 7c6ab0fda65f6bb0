import { ServiceError } from '../../src/errors.ts';
import { AgentWorkflowRunKind, type RunTarget } from '../../src/rules/changes/kinds.ts';
import { noStartsLeft, startsLeft } from '../../src/rules/changes/starts-left.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps } from '../deps.ts';

/** Refuses a start for a target that has had as many within the hour as the org allows. */
export async function refuseTooMany(
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  org: string,
  { repo, number }: RunTarget,
): Promise<void> {
  const { spec } = await getOrganization(store, org);
  const fields = { 'spec.target.repo': repo, 'spec.target.number': String(number) };
  const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields });
  const startedAt = items.map(({ metadata }) => metadata.creationTimestamp);
  const { left, limit, nextInMs } = startsLeft(startedAt, now(), spec.agents?.runsPerTargetAndHour);
  if (left > 0) return;
  throw new ServiceError(
    'too-many-requests',
    `No run starts for ${repo}#${number}: ${noStartsLeft(limit)}. Wait, or have an org-admin allow more with PUT /v1/orgs/${org}/agent-limits.`,
    { retryAfterMs: nextInMs },
  );
}
