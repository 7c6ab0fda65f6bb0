import type { Workflow } from '@temporalio/common';
import { scaffoldProductStart } from '../../workflows/products/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { isProductDeleting } from '../rules/products/is-product-deleting.ts';
import type { Product } from '../rules/products/kinds.ts';
import { createdByAnnotation } from '../rules/products/source.ts';
import { toOrgName } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';

/** Starts the creation of the Product's repo; has no effect while it is in progress. */
export async function startScaffold(
  { temporal }: Pick<ReconcileDeps, 'temporal'>,
  { metadata: { name, namespace, uid, annotations } }: Product,
): Promise<void> {
  const by = annotations?.[createdByAnnotation] ?? 'kubectl';
  const { type, options } = scaffoldProductStart({ org: toOrgName(namespace), product: name, uid, by });
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}

/** Starts it for a Product that was written with kubectl, or whose request ended before its start. */
export async function startMissingScaffold(deps: Pick<ReconcileDeps, 'temporal'>, product: Product): Promise<void> {
  const { spec, status } = product;
  if (spec.source && status?.scaffold === undefined && !isProductDeleting(product)) await startScaffold(deps, product);
}
