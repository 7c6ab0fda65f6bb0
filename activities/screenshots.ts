import { Context } from '@temporalio/activity';
import type { Browser, Shot } from '../src/integrations/browser/browser.ts';
import { ProductKind } from '../src/rules/catalog/kinds.ts';
import { artifactPointer, artifactReleaseLabel } from '../src/rules/changes/evidence.ts';
import { drawPlaceholder } from '../src/rules/environments/draw-placeholder.ts';
import { type Release, type Screenshot, ReleaseKind } from '../src/rules/releases/kinds.ts';
import { patchReleaseZone } from '../src/rules/releases/release-status.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';
import { findSite } from './environments/find-site.ts';
import { artifactIdOf, putArtifact } from './put-artifact.ts';

export type ScreenshotDeps = {
  store: Store;
  browser: Browser;
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  now: () => Date;
};

export type ScreenshotRef = { org: string; product: string; zone: string; release: string };
export type ScreenshotOutcome = { outcome: 'taken' | 'failed' | 'superseded' };

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' };

export function createScreenshotActivities({ store, browser, zoneAddress, zoneService, now }: ScreenshotDeps) {
  /** The zone as its Product has it, for as long as that Release runs there. */
  const findZone = async ({ org, product, zone, release }: ScreenshotRef) => {
    const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
    const runs = found?.status?.zones?.some((one) => one.name === zone && one.release === release);
    return runs ? found?.spec.delivery.zones.find(({ name }) => name === zone) : undefined;
  };

  const shoot = async (ref: ScreenshotRef, url: string): Promise<Shot> => {
    const own = [zoneAddress(ref.zone), zoneService(ref.product, ref.zone)];
    const site = await findSite(url, own);
    if ('problem' in site) return { outcome: 'failed', why: site.problem };
    return await browser.shoot(site, Context.current().cancellationSignal);
  };

  /** Keeps the picture and says on the Release and on the zone where it is. */
  const keep = async (ref: ScreenshotRef, shot: Shot): Promise<void> => {
    const releaseRef = { namespace: orgNamespace(ref.org), name: ref.release };
    const release = await store.find(ReleaseKind, releaseRef);
    if (!release) return;
    const screenshot = await keepImage(release, ref, shot);
    await store.updateStatus(
      ReleaseKind,
      releaseRef,
      ({ status }) => status && patchReleaseZone(status, ref.zone, { screenshot }),
    );
    const productRef = { namespace: orgNamespace(ref.org), name: ref.product };
    await store.updateStatus(ProductKind, productRef, ({ status }) => ({
      ...status,
      zones: (status?.zones ?? []).map((zone) =>
        zone.name === ref.zone && zone.release === ref.release ? { ...zone, screenshot } : zone,
      ),
    }));
  };

  const keepImage = async (release: Release, { zone }: ScreenshotRef, shot: Shot): Promise<Screenshot> => {
    const { type, bytes } =
      shot.outcome === 'taken'
        ? { type: shot.type, bytes: shot.image }
        : { type: 'image/svg+xml' as const, bytes: Buffer.from(drawPlaceholder(`No picture of ${zone}`, shot.why)) };
    const id = artifactIdOf(release.metadata.uid, 'zones', zone);
    const name = `${zone}.${extensions[type]}`;
    const labels = { [artifactReleaseLabel]: release.metadata.uid };
    await putArtifact(store, { id, owner: release, labels, name, type, bytes });
    const failure = shot.outcome === 'failed' ? { failure: shot.why } : {};
    return { artifact: artifactPointer(id), name, type, sizeBytes: bytes.length, at: now().toISOString(), ...failure };
  };

  return {
    /** Takes a picture of the zone's site, unless another Release has come into the zone before it was done. */
    keepScreenshot: async (ref: ScreenshotRef): Promise<ScreenshotOutcome> => {
      const zone = await findZone(ref);
      if (!zone) return { outcome: 'superseded' };
      const url = zone.verify?.url ?? zoneService(ref.product, ref.zone);
      const shot: Shot =
        zone.replicas === 0
          ? { outcome: 'failed', why: 'The zone has no replicas: nothing runs in it.' }
          : await shoot(ref, url);
      if (!(await findZone(ref))) return { outcome: 'superseded' };
      await keep(ref, shot);
      return { outcome: shot.outcome };
    },

    /** Keeps the reason where no worker with a browser could take the picture. */
    keepPlaceholder: async ({ why, ...ref }: ScreenshotRef & { why: string }): Promise<ScreenshotOutcome> => {
      if (!(await findZone(ref))) return { outcome: 'superseded' };
      await keep(ref, { outcome: 'failed', why });
      return { outcome: 'failed' };
    },
  };
}
