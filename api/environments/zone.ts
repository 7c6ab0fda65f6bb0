import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ServiceError, notFound } from '../../src/errors.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { zoneActionRules } from '../../src/rules/access/zone-action-rules.ts';
import type { Product, ZoneSpec, ZoneStatus } from '../../src/rules/products/kinds.ts';
import { getProductByName } from '../products/product.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type ZoneViewOptions = { org: string; role: OrgRole | undefined; config: ApiDeps['config'] };
export type ZoneRef = { org: string; product: string; zone: string };

/** Returns the zones in promotion order, followed by zones that are being removed. */
export function toZoneViews(product: Product, options: ZoneViewOptions): View[] {
  const { zones } = product.spec.delivery;
  const removing = (product.status?.zones ?? []).filter(({ name }) => !zones.some((zone) => zone.name === name));
  return [...zones, ...removing].map(({ name }) => toZoneView(product, name, options));
}

/** Reads the view of a zone for the caller and sets the ETag of the response. */
export async function getZoneView(
  c: Context<ApiEnv>,
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  ref: ZoneRef,
): Promise<View> {
  const product = await getProductByName(store, ref);
  if (!findZoneStatus(product, ref.zone)) getZoneSpec(product, ref.zone);
  const view = toZoneView(product, ref.zone, { org: ref.org, role: c.get('role'), config });
  setETag(c, view.resourceVersion);
  return view;
}

export function getZoneSpec(product: Product, zone: string): ZoneSpec {
  const spec = product.spec.delivery.zones.find(({ name }) => name === zone);
  if (!spec) throw notFound('zone', zone, `Product "${product.metadata.name}"`);
  return spec;
}

const findZoneStatus = ({ status }: Product, zone: string): ZoneStatus | undefined =>
  status?.zones?.find(({ name }) => name === zone);

/** The name of a removed zone stays taken until its resources are deleted. */
export function assertNotDeleting(product: Product, zone: string): void {
  if (findZoneStatus(product, zone))
    throw new ServiceError(
      'zone-removing',
      `The zone "${zone}" is still being removed. Add it again when the removal has finished.`,
    );
}

function toZoneView(product: Product, name: string, { org, role, config }: ZoneViewOptions): View {
  const { metadata } = product;
  const spec = product.spec.delivery.zones.find((zone) => zone.name === name);
  const status = { address: config.zoneAddress(name), ...findZoneStatus(product, name), name };
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
    actions: actionsFor(role, zoneActionRules(status)),
  };
}
