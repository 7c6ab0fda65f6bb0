import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ServiceError, notFound } from '../../src/errors.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { zoneActions } from '../../src/rules/access/zone-actions.ts';
import type { Product, ZoneSpec, ZoneStatus } from '../../src/rules/catalog/kinds.ts';
import { getProductOf } from '../catalog/product.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { tagged } from '../read-page.ts';
import type { ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type Showing = { org: string; role: OrgRole | undefined; config: ApiDeps['config'] };
export type ZoneRef = { org: string; product: string; zone: string };

/** The zones of a Product in promotion order, each with what runs in it; last those that are being removed. */
export function zonesOf(product: Product, showing: Showing): View[] {
  const { zones } = product.spec.delivery;
  const going = (product.status?.zones ?? []).filter(({ name }) => !zones.some((zone) => zone.name === name));
  return [...zones, ...going].map(({ name }) => zoneView(product, name, showing));
}

/** Reads a zone as the caller may see it, and tags the answer with its version. */
export async function readZone(
  c: Context<ApiEnv>,
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  ref: ZoneRef,
): Promise<View> {
  const product = await getProductOf(store, ref);
  if (!statusOf(product, ref.zone)) specOf(product, ref.zone);
  const view = zoneView(product, ref.zone, { org: ref.org, role: c.get('role'), config });
  tagged(c, view.resourceVersion);
  return view;
}

/** What people set of a zone that stays. */
export function specOf(product: Product, zone: string): ZoneSpec {
  const spec = product.spec.delivery.zones.find(({ name }) => name === zone);
  if (!spec) throw notFound('zone', zone, `Product "${product.metadata.name}"`);
  return spec;
}

const statusOf = ({ status }: Product, zone: string): ZoneStatus | undefined =>
  status?.zones?.find(({ name }) => name === zone);

/** A name is free again once nothing is left of the zone that had it. */
export function refuseGoing(product: Product, zone: string): void {
  if (statusOf(product, zone))
    throw new ServiceError('conflict', `The zone "${zone}" is still being removed. Add it again once it is gone.`);
}

function zoneView(product: Product, name: string, { org, role, config }: Showing): View {
  const { metadata } = product;
  const spec = product.spec.delivery.zones.find((zone) => zone.name === name);
  const status = { address: config.zoneAddress(name), ...statusOf(product, name), name };
  if (spec?.access === 'none') delete (status as ZoneStatus).address;
  return {
    kind: 'Zone',
    name,
    org,
    product: metadata.name,
    ...(spec ? { spec } : {}),
    status,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    actions: actionsFor(role, zoneActions(status)),
  };
}
