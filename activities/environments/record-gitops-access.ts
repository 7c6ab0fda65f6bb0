import { ignoreNotFound } from '../../src/errors.ts';
import { withGitopsCondition } from '../../src/rules/environments/gitops-access.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

type AccessFinding = { violation: string | undefined; now: () => Date };

/** Records in the conditions of a Product whether Argo CD can read the gitops repo. */
export async function recordGitopsAccess(
  store: Store,
  { org, product: name }: { org: string; product: string },
  { violation, now }: AccessFinding,
): Promise<void> {
  const at = now().toISOString();
  await store
    .updateStatus(ProductKind, { namespace: orgNamespace(org), name }, ({ metadata: { generation }, status }) => {
      const conditions = withGitopsCondition(status?.conditions, { violation, generation, at });
      return conditions && { ...status, conditions };
    })
    .catch(ignoreNotFound);
}
