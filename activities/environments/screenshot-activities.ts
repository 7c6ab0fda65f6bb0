import { Context } from '@temporalio/activity';
import { ignoreNotFound } from '../../src/errors.ts';
import type { Browser, ScreenshotResult } from '../../src/integrations/browser/browser.ts';
import { artifactReleaseLabel, toArtifactPointer } from '../../src/rules/changes/evidence.ts';
import { drawPlaceholder } from '../../src/rules/environments/draw-placeholder.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { type Release, ReleaseKind, type Screenshot } from '../../src/rules/releases/kinds.ts';
import { patchReleaseZone } from '../../src/rules/releases/release-status.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import { saveArtifact, toArtifactId } from '../changes/save-artifact.ts';
import { resolveSite, type SiteScope } from './resolve-site.ts';

export type ScreenshotDeps = {
  store: Store;
  browser: Browser;
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  allowedInside: SiteScope['allowedInside'];
  now: () => Date;
};

export type ScreenshotRef = { org: string; product: string; zone: string; release: string; digest?: string };
export type ScreenshotOutcome = { outcome: 'taken' | 'failed' | 'superseded' | 'unreachable' };

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' };

/** A Release that started again has another image, and then its entry of the zone belongs to that. */
const hasImage = (status: { digest?: string | undefined } | undefined, digest: string | undefined): boolean =>
  digest === undefined || status?.digest === digest;

const findPromotion = ({ status }: Release, { zone, digest }: ScreenshotRef): string | undefined =>
  hasImage(status, digest) ? status?.zones.find(({ name }) => name === zone)?.promotion : undefined;

export function createScreenshotActivities(deps: ScreenshotDeps) {
  const { store, browser, zoneService, allowedInside, now } = deps;
  /** Returns undefined once another Release or image runs in the zone. */
  const findZone = async ({ org, product: name, zone, release, digest }: ScreenshotRef) => {
    const product = await store.find(ProductKind, { namespace: orgNamespace(org), name });
    const running = product?.status?.zones?.find((status) => status.name === zone && status.release === release);
    return running && hasImage(running, digest)
      ? product?.spec.delivery.zones.find((spec) => spec.name === zone)
      : undefined;
  };

  const capture = async (ref: ScreenshotRef, url: string): Promise<ScreenshotResult> => {
    const zoneAddress = await readZoneAddress(store, deps.zoneAddress);
    const zoneUrls = [zoneAddress(ref.zone), zoneService(ref.product, ref.zone)];
    const site = await resolveSite(url, { zoneUrls, allowedInside });
    if ('problem' in site) return { outcome: 'failed', reason: site.problem };
    return await browser.capture(site, Context.current().cancellationSignal);
  };

  /** Saves the image and records it in the status of the Release and of the zone. */
  const recordScreenshot = async (ref: ScreenshotRef, result: ScreenshotResult): Promise<void> => {
    const releaseRef = { namespace: orgNamespace(ref.org), name: ref.release };
    const release = await store.find(ReleaseKind, releaseRef);
    if (!release) return;
    const screenshot = await saveImage(release, ref, result);
    await store.updateStatus(ReleaseKind, releaseRef, ({ status }) =>
      status && hasImage(status, ref.digest) ? patchReleaseZone(status, ref.zone, { screenshot }) : status,
    );
    const promotion = findPromotion(release, ref);
    if (promotion !== undefined)
      await store
        .updateStatus(
          PromotionKind,
          { ...releaseRef, name: promotion },
          ({ status }) => status && { ...status, screenshot },
        )
        .catch(ignoreNotFound);
    const productRef = { namespace: orgNamespace(ref.org), name: ref.product };
    await store.updateStatus(ProductKind, productRef, ({ status }) => ({
      ...status,
      zones: (status?.zones ?? []).map((zone) =>
        zone.name === ref.zone && zone.release === ref.release && hasImage(zone, ref.digest)
          ? { ...zone, screenshot }
          : zone,
      ),
    }));
  };

  const saveImage = async (release: Release, ref: ScreenshotRef, result: ScreenshotResult): Promise<Screenshot> => {
    const { zone, digest = '' } = ref;
    const { type, bytes } =
      result.outcome === 'taken'
        ? { type: result.type, bytes: result.image }
        : {
            type: 'image/svg+xml' as const,
            bytes: Buffer.from(drawPlaceholder(`No screenshot of ${zone}`, result.reason)),
          };
    // Each Promotion keeps the picture of its own, and no picture takes the address of one that shows another image.
    const id = toArtifactId(release.metadata.uid, 'zones', findPromotion(release, ref) ?? zone, digest);
    const name = `${zone}.${extensions[type]}`;
    const labels = { [artifactReleaseLabel]: release.metadata.uid };
    await saveArtifact(store, { id, owner: release, labels, name, type, bytes });
    const failure = result.outcome === 'failed' ? { failure: result.reason } : {};
    return {
      artifact: toArtifactPointer(id),
      name,
      type,
      sizeBytes: bytes.length,
      at: now().toISOString(),
      ...failure,
    };
  };

  return {
    /** Captures the zone's site; the result is discarded when another Release or image was promoted in the meantime. */
    captureScreenshot: async (ref: ScreenshotRef): Promise<ScreenshotOutcome> => {
      const zone = await findZone(ref);
      if (!zone) return { outcome: 'superseded' };
      // The service cannot reach the Services of other clusters.
      if (zone.cluster !== undefined && zone.verify?.url === undefined) return { outcome: 'unreachable' };
      const url = zone.verify?.url ?? zoneService(ref.product, ref.zone);
      const result: ScreenshotResult =
        zone.replicas === 0
          ? { outcome: 'failed', reason: 'The zone has no replicas, so nothing runs in it.' }
          : await capture(ref, url);
      if (!(await findZone(ref))) return { outcome: 'superseded' };
      await recordScreenshot(ref, result);
      return { outcome: result.outcome };
    },

    /** Saves an image of the reason when no worker with a browser could capture the zone. */
    saveScreenshotPlaceholder: async ({
      reason,
      ...ref
    }: ScreenshotRef & { reason: string }): Promise<ScreenshotOutcome> => {
      if (!(await findZone(ref))) return { outcome: 'superseded' };
      await recordScreenshot(ref, { outcome: 'failed', reason });
      return { outcome: 'failed' };
    },
  };
}
