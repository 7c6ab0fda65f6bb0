import { type CloudAccount, CloudAccountKind, CloudAccountSpec } from '../rules/cloud-accounts/kinds.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { systemNamespace, toOrgName } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates a CloudAccount that was written to the store without the API. */
export async function reconcileCloudAccount(deps: ReconcileDeps, account: CloudAccount): Promise<void> {
  const { name, namespace } = account.metadata;
  await reconcileSpec(deps, CloudAccountKind, account, {
    async assertValid() {
      await deps.store.get(OrganizationKind, { namespace: systemNamespace, name: toOrgName(namespace) });
      assertValidName(CloudAccountKind, name);
      parseSpec(CloudAccountKind, CloudAccountSpec, account);
    },
  });
}
