import { ServiceError } from '../../src/errors.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/**
 * Throws while the installation signs in to a workload cluster with one of the org's cloud accounts, or with the named
 * one: zones of every org may run there.
 */
export async function assertAccountsUnused(store: Store, org: string, account?: string): Promise<void> {
  const { items } = await store.list(ClusterKind, { namespace: systemNamespace });
  for (const { metadata, spec } of items)
    if (spec.cloud?.org === org && (account === undefined || spec.cloud.account === account))
      throw new ServiceError(
        'cloud-account-in-use',
        `The installation signs in to the workload cluster "${metadata.name}" with the cloud account "${spec.cloud.account}". Ask a platform admin to replace it there first.`,
      );
}
