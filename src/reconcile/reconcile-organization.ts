import { ignoreNotFound, invalid } from '../errors.ts';
import { OrgName } from '../rules/names.ts';
import { agentNetworkViolation } from '../rules/network/agent-network-violation.ts';
import { orgFinalizer, type Organization, OrganizationKind, OrganizationSpec } from '../rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import { orgScheduleAnnotations } from '../rules/scheduling/judge-schedule.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';
import { seedOrg } from './seed-org.ts';
import { startOrgDeletion } from './start-org-deletion.ts';
import { wakeOrgSchedules } from './wake-schedules.ts';

/** Gives an Organization that was written to the store without the API its defaults, and wakes its schedules. */
export async function reconcileOrganization(deps: ReconcileDeps, organization: Organization): Promise<void> {
  const { name, namespace, uid } = organization.metadata;
  if (isDeleting(organization) && organization.metadata.finalizers?.includes(orgFinalizer))
    return await startOrgDeletion(deps, { org: name, uid, by: 'kubectl' }).catch(ignoreNotFound);
  await reconcileSpec(deps, OrganizationKind, organization, {
    finalizer: orgFinalizer,
    async assertValid() {
      if (namespace !== systemNamespace)
        throw invalid(
          `An Organization belongs in the namespace "${systemNamespace}". Delete it here, and create it there.`,
        );
      assertValidName(OrganizationKind, name, OrgName);
      const { agents } = parseSpec(OrganizationKind, OrganizationSpec, organization);
      const violation = agents?.allowNetwork ? agentNetworkViolation(deps.config.agentNetwork) : undefined;
      if (violation !== undefined)
        throw invalid(violation, [
          { pointer: '/spec/agents/allowNetwork', detail: 'is not allowed by the installation' },
        ]);
    },
    apply: async () => await seedOrg(deps.store, name),
    annotations: toScheduleAnnotations(organization, deps.now()),
    follow: async () => await wakeOrgSchedules(deps, name),
  });
}

/** The previous settings are not known, so due times before this change start nothing. */
const toScheduleAnnotations = ({ metadata, spec }: Organization, now: Date): Record<string, string> =>
  spec.scheduling
    ? orgScheduleAnnotations({ metadata, spec: { ...spec, scheduling: undefined } }, spec.scheduling, now)
    : {};
