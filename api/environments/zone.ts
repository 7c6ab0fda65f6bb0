import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ServiceError, notFound } from '../../src/errors.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import { findOfferedRelease } from '../../src/rules/environments/find-offered-release.ts';
import { zoneActionRules } from '../../src/rules/access/zone-action-rules.ts';
import type { Product, ZoneSpec, ZoneStatus } from '../../src/rules/products/kinds.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import { getViewer, type Viewer } from '../auth/viewer.ts';
import { findSelfApproval } from '../orgs/find-self-approval.ts';
import { getProductByName, getZoneStatus } from '../products/product.ts';
import { findReleaseContributors } from '../releases/find-contributors.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type Deps = Pick<ApiDeps, 'store' | 'config'>;
export type ZoneRef = { org: string; product: string; zone: string };

/** Lists the Releases of a Product when one of its zones may offer one. */
async function listOfferableReleases(store: ApiDeps['store'], { metadata, spec, status }: Product): Promise<Release[]> {
  const isRunning = (name: string): boolean =>
    status?.zones?.some((zone) => zone.name === name && zone.release !== undefined) ?? false;
  if (spec.delivery.zones.every(({ name }) => isRunning(name))) return [];
  const { namespace } = metadata;
  return (await store.list(ReleaseKind, { namespace, fields: { 'spec.product': metadata.name } })).items;
}

/** Returns the zones in promotion order, followed by zones that are being removed. */
export async function buildZoneViews(deps: Deps, product: Product, viewer: Viewer): Promise<View[]> {
  const { zones } = product.spec.delivery;
  const removing = (product.status?.zones ?? []).filter(({ name }) => !zones.some((zone) => zone.name === name));
  const releases = await listOfferableReleases(deps.store, product);
  return await Promise.all(
    [...zones, ...removing].map(({ name }) => buildZoneView(deps, { product, name, releases }, viewer)),
  );
}

/** Reads the view of a zone for the caller and sets the ETag of the response. */
export async function getZoneView(c: Context<ApiEnv>, deps: Deps, ref: ZoneRef): Promise<View> {
  const product = await getProductByName(deps.store, ref);
  getZoneStatus(product, ref.zone);
  const releases = await listOfferableReleases(deps.store, product);
  const view = await buildZoneView(deps, { product, name: ref.zone, releases }, getViewer(c, ref.org));
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

async function buildZoneView(
  { store, config }: Deps,
  { product, name, releases }: { product: Product; name: string; releases: readonly Release[] },
  viewer: Viewer,
): Promise<View> {
  const { metadata } = product;
  const spec = product.spec.delivery.zones.find((zone) => zone.name === name);
  const status = {
    address: (await readZoneAddress(store, config.zoneAddress))(name),
    ...findZoneStatus(product, name),
    name,
  };
  const offered = findOfferedRelease(product, name, releases);
  if (spec?.access === 'none') delete (status as ZoneStatus).address;
  const promoting = await findPromotingRelease(store, status, viewer.org);
  const waitingFor = promoting?.status?.zones.find((zone) => zone.name === name)?.waitingFor;
  return {
    kind: 'Zone',
    name,
    org: viewer.org,
    product: metadata.name,
    ...(spec ? { spec } : {}),
    status,
    ...(waitingFor && { waitingFor }),
    ...(offered && { offeredRelease: { name: offered.metadata.name, version: offered.spec.version } }),
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    actions: actionsFor(
      viewer.role,
      zoneActionRules(status, await findZoneSelfApproval(store, { release: promoting, status }, viewer)),
    ),
  };
}

async function findPromotingRelease(
  store: Store,
  { currentPromotion }: ZoneStatus,
  org: string,
): Promise<Release | undefined> {
  if (!currentPromotion) return undefined;
  return await store.find(ReleaseKind, { namespace: orgNamespace(org), name: currentPromotion.release });
}

async function findZoneSelfApproval(
  store: Store,
  { release, status: { currentPromotion } }: { release: Release | undefined; status: ZoneStatus },
  viewer: Viewer,
): Promise<string | undefined> {
  if (!release || currentPromotion?.phase !== 'WaitingForApproval') return undefined;
  return await findSelfApproval(store, viewer, () => findReleaseContributors(store, viewer.org, release));
}
