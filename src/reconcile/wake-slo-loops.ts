import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { alertRulesChangedSignal, reconcileIncidentsStart } from '../../workflows/incidents/messages.ts';
import { reconcileSloRulesStart, slosChangedSignal } from '../../workflows/slos/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { Product } from '../rules/products/kinds.ts';
import { toOrgName } from '../rules/resource.ts';

/** Signals the loops that write the alert rules of an org and keep its incidents, if the Product has or had SLOs. */
export async function wakeSloLoops(
  { temporal }: { temporal: Client },
  product: Product,
  before: Product = product,
): Promise<void> {
  const hasSlos = [product, before].some(({ spec }) => (spec.slos ?? []).length > 0);
  if (!hasSlos && product.status?.observability === undefined) return;
  const org = toOrgName(product.metadata.namespace);
  const loops = [
    { ...reconcileSloRulesStart({ org }), signal: slosChangedSignal },
    { ...reconcileIncidentsStart({ org }), signal: alertRulesChangedSignal },
  ];
  for (const { type, options, signal } of loops)
    await callWorkflow(temporal, async () => temporal.workflow.signalWithStart<Workflow>(type, { ...options, signal }));
}
