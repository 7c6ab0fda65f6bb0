import { invalid } from '../errors.ts';
import { AccessGroupKind, AccessGroupSpec, type AccessGroup } from '../rules/access/kinds.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { systemNamespace, toOrgName } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';
import { parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates an AccessGroup that was written to the store without the API. */
export async function reconcileAccessGroup(deps: ReconcileDeps, group: AccessGroup): Promise<void> {
  const { name, namespace } = group.metadata;
  await reconcileSpec(deps, AccessGroupKind, group, {
    async assertValid() {
      await deps.store.get(OrganizationKind, { namespace: systemNamespace, name: toOrgName(namespace) });
      const spec = parseSpec(AccessGroupKind, AccessGroupSpec, group);
      // The API shows the name in the spec, and replaces a group by the name of the resource.
      if (spec.name !== name)
        throw invalid(`The AccessGroup is invalid: /spec/name must be "${name}", the name of the resource.`);
    },
  });
}
