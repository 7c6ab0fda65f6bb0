import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { reconcileSloRulesStart, slosChangedSignal } from '../../workflows/slos/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { Product } from '../rules/products/kinds.ts';
import { toOrgName } from '../rules/resource.ts';

/** Signals the loop that writes the alert rules of an org, if the Product has or had SLOs. */
export async function wakeSloRules(
  { temporal }: { temporal: Client },
  product: Product,
  before: Product = product,
): Promise<void> {
  const hasSlos = [product, before].some(({ spec }) => (spec.slos ?? []).length > 0);
  if (!hasSlos && product.status?.observability === undefined) return;
  const { type, options } = reconcileSloRulesStart({ org: toOrgName(product.metadata.namespace) });
  await callWorkflow(temporal, async () =>
    temporal.workflow.signalWithStart<Workflow>(type, { ...options, signal: slosChangedSignal }),
  );
}
