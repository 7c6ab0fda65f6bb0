import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createScreenshotActivities } from '../../activities/screenshots.ts';
import type { Browser } from '../../src/integrations/browser/browser.ts';
import { missingBrowser } from '../../src/integrations/browser/missing.ts';
import { type ZoneSpec, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { artifactDataKey, artifactId, artifactReleaseLabel } from '../../src/rules/changes/evidence.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { describeWithChromium, startBrowser } from '../support/chromium.ts';
import { aCanary, aSite } from '../support/hostile-site.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'hello', zone: 'hello-rc', release: 'hello-v0.1.0' };

/** A Release that runs in a zone whose site is there. */
async function aRunningRelease(options: { browser: Browser; site: string; zone?: Partial<ZoneSpec> }) {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const zone: ZoneSpec = { name: ref.zone, arrival: 'automatic', ...options.zone };
  const product = { namespace, name: ref.product };
  await store.create(ProductKind, {
    metadata: product,
    spec: { repos: ['acme/hello'], delivery: { zones: [zone] } },
  });
  const comesIn = async (release: string): Promise<void> =>
    void (await store.updateStatus(ProductKind, product, () => ({ zones: [{ name: ref.zone, release }] })));
  await comesIn(ref.release);
  const release = await store.create(ReleaseKind, {
    metadata: { namespace, name: ref.release },
    spec: { product: 'hello', repo: 'acme/hello', commit: 'c', version: 'v0.1.0', startedBy: 'jo' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => ({
    phase: 'Succeeded' as const,
    zones: [{ name: ref.zone, phase: 'Verified' as const }],
  }));
  const { keepScreenshot, keepPlaceholder } = createScreenshotActivities({
    store,
    browser: options.browser,
    zoneAddress: () => options.site,
    zoneService: () => options.site,
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  const shown = async () => {
    const { status } = await store.get(ReleaseKind, { namespace, name: ref.release });
    return status?.zones[0]?.screenshot;
  };
  return {
    store,
    release,
    comesIn,
    shown,
    keepPlaceholder,
    keepScreenshot: async () => await new MockActivityEnvironment().run(keepScreenshot, ref),
    shownOnZone: async () => (await store.get(ProductKind, product)).status?.zones?.[0]?.screenshot,
    image: async () => {
      const id = artifactId((await shown())?.artifact ?? '');
      const found = await store.get(ConfigMapKind, { namespace, name: id });
      return { ...found.metadata, bytes: Buffer.from(found.binaryData?.[artifactDataKey] ?? '', 'base64') };
    },
    images: async () => (await store.list(ConfigMapKind, { namespace })).items.length,
  };
}

describeWithChromium('keepScreenshot', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser({ loadMs: 3_000, shotMs: 8_000 })));
  afterAll(async () => await browser.close());

  it('keeps a picture of the zone with its Release, and says so on both', async () => {
    const { url } = await aSite({ '/': '<h1>Hello</h1>' });
    const zone = await aRunningRelease({ browser, site: url });
    expect(await zone.keepScreenshot()).toEqual({ outcome: 'taken' });
    const screenshot = await zone.shown();
    expect(screenshot).toMatchObject({ name: 'hello-rc.png', type: 'image/png', at: '2026-01-01T00:00:00.000Z' });
    expect(await zone.shownOnZone()).toEqual(screenshot);
    const { bytes, labels, ownerReferences } = await zone.image();
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBe(screenshot?.sizeBytes);
    expect(labels).toEqual({ [artifactReleaseLabel]: zone.release.metadata.uid });
    expect(ownerReferences).toMatchObject([{ kind: 'Release', name: ref.release }]);
  });

  it('taken twice is there once', async () => {
    const { url } = await aSite({ '/': '<h1>Hello</h1>' });
    const zone = await aRunningRelease({ browser, site: url });
    await zone.keepScreenshot();
    const first = await zone.shown();
    await zone.keepScreenshot();
    expect(await zone.shown()).toEqual(first);
    expect(await zone.images()).toBe(1);
  });

  it('opens the root of the zone’s own check URL', async () => {
    const { url, asked } = await aSite({ '/': '<h1>Hello</h1>' });
    const zone = await aRunningRelease({ browser, site: url, zone: { verify: { url: `${url}/healthz` } } });
    expect(await zone.keepScreenshot()).toEqual({ outcome: 'taken' });
    expect(asked[0]).toBe('/');
  });

  it('keeps nothing of a Release that another replaced before or while it was taken', async () => {
    const before = await aRunningRelease({ browser, site: 'http://127.0.0.1:1' });
    await before.comesIn('hello-v0.2.0');
    expect(await before.keepScreenshot()).toEqual({ outcome: 'superseded' });

    const site = await aSite({
      '/': (_, response) =>
        void during.comesIn('hello-v0.2.0').then(() => response.setHeader('content-type', 'text/html').end('New')),
    });
    const during = await aRunningRelease({ browser, site: site.url });
    expect(await during.keepScreenshot()).toEqual({ outcome: 'superseded' });
    expect([await during.shown(), await during.shownOnZone(), await during.images()]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });

  it('opens no address that is not the zone’s, however it is written, and shows why', async () => {
    const canary = await aCanary();
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', 'other.localhost', '169.254.169.254']) {
      const zone = await aRunningRelease({
        browser,
        site: 'http://hello-rc.localhost:1',
        zone: { verify: { url: canary.at(host, '/latest/meta-data') } },
      });
      expect(await zone.keepScreenshot(), host).toEqual({ outcome: 'failed' });
      expect(await zone.shown(), host).toMatchObject({
        type: 'image/svg+xml',
        failure: expect.stringContaining('which is neither the zone'),
      });
    }
    expect(canary.heard).toEqual([]);
  });
});

it('where there is no browser a placeholder says so, also of a zone without replicas', async () => {
  const browser = missingBrowser('There is no Chromium on this machine.');
  const zone = await aRunningRelease({ browser, site: 'http://hello-rc.localhost:1' });
  expect(await zone.keepScreenshot()).toEqual({ outcome: 'failed' });
  expect(await zone.shown()).toMatchObject({ failure: 'There is no Chromium on this machine.', name: 'hello-rc.svg' });
  expect((await zone.image()).bytes.toString()).toContain('There is no Chromium on this machine.');

  const empty = await aRunningRelease({ browser, site: 'http://hello-rc.localhost:1', zone: { replicas: 0 } });
  await empty.keepScreenshot();
  expect(await empty.shown()).toMatchObject({ failure: 'The zone has no replicas: nothing runs in it.' });
});

it('a placeholder is kept for nobody once the Release or its Product has gone', async () => {
  const zone = await aRunningRelease({ browser: missingBrowser(''), site: 'http://hello-rc.localhost:1' });
  await zone.store.delete(ReleaseKind, { namespace, name: ref.release });
  expect(await zone.keepPlaceholder({ ...ref, why: 'x' })).toEqual({ outcome: 'failed' });
  await zone.store.delete(ProductKind, { namespace, name: ref.product });
  expect(await zone.keepPlaceholder({ ...ref, why: 'x' })).toEqual({ outcome: 'superseded' });
  expect(await zone.images()).toBe(0);
});
