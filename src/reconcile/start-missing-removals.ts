import { removeZoneSignal } from '../../workflows/environments/messages.ts';
import type { Product } from '../rules/products/kinds.ts';
import { toOrgName } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';
import { signalZone } from './zone-workflow.ts';

/** Signals the removals that were requested and have not begun: a request may have ended before its signal. */
export async function startMissingRemovals(
  deps: Pick<ReconcileDeps, 'temporal'>,
  { metadata: { namespace, name }, spec, status }: Product,
): Promise<void> {
  const desired = new Set(spec.delivery.zones.map((zone) => zone.name));
  for (const { name: zone, removal } of status?.zones ?? []) {
    if (!removal || removal.step !== undefined || desired.has(zone)) continue;
    const ref = { org: toOrgName(namespace), product: name, zone };
    await signalZone(deps, ref, { signal: removeZoneSignal, arg: { by: removal.by } });
  }
}
