import type { z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { actionsFor, type Possibility } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import type { Product, ZoneSpec } from '../../src/rules/catalog/kinds.ts';
import type { ApiDeps } from '../deps.ts';
import type { ZoneView } from './schemas.ts';

type Showing = { org: string; role: OrgRole | undefined; config: ApiDeps['config'] };

/** The zones of a Product in promotion order, each with what runs in it. */
export const zonesOf = (product: Product, showing: Showing): z.infer<typeof ZoneView>[] =>
  product.spec.delivery.zones.map((spec) => zoneView(product, spec, showing));

export function zoneOf(product: Product, name: string, showing: Showing): z.infer<typeof ZoneView> {
  const spec = product.spec.delivery.zones.find((zone) => zone.name === name);
  if (!spec) throw notFound('zone', name, `Product "${product.metadata.name}"`);
  return zoneView(product, spec, showing);
}

function zoneView(
  { metadata, status }: Product,
  spec: ZoneSpec,
  { org, role, config }: Showing,
): z.infer<typeof ZoneView> {
  const kept = status?.zones?.find(({ name }) => name === spec.name);
  const waits = kept?.arriving?.phase === 'WaitingForApproval';
  const decisions: Possibility[] = [
    { name: 'approvePromotion', needs: 'member', zone: spec.name },
    { name: 'rejectPromotion', needs: 'member', zone: spec.name },
  ];
  return {
    kind: 'Zone',
    name: spec.name,
    org,
    product: metadata.name,
    spec,
    status: { address: config.zoneAddress(spec.name), ...kept, name: spec.name },
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    actions: actionsFor(role, waits ? decisions : []),
  };
}
