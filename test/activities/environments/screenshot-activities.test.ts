import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScreenshotActivities } from '../../../activities/environments/screenshot-activities.ts';
import type { Browser, ScreenshotResult } from '../../../src/integrations/browser/browser.ts';
import { noBrowser } from '../../../src/integrations/browser/no-browser.ts';
import { type ZoneSpec, ProductKind } from '../../../src/rules/products/kinds.ts';
import { artifactDataKey, toArtifactId, artifactReleaseLabel } from '../../../src/rules/changes/evidence.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { describeWithChromium, startBrowser } from '../../support/servers/chromium.ts';
import { startCanary, startSite } from '../../support/servers/test-sites.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'hello', zone: 'hello-rc', release: 'hello-v0.1.0' };

/** Creates a Release that runs in a zone with the given site. */
async function createRunningRelease(options: { browser: Browser; site: string; zone?: Partial<ZoneSpec> }) {
  const store = openTestStore();
  const zone: ZoneSpec = { name: ref.zone, promotionPolicy: 'automatic', ...options.zone };
  const product = { namespace, name: ref.product };
  await store.create(ProductKind, {
    metadata: product,
    spec: { repos: ['acme/hello'], delivery: { zones: [zone] } },
  });
  const setRunning = async (release: string, digest = 'sha256:1'): Promise<void> =>
    void (await store.updateStatus(ProductKind, product, () => ({ zones: [{ name: ref.zone, release, digest }] })));
  await setRunning(ref.release);
  const release = await store.create(ReleaseKind, {
    metadata: { namespace, name: ref.release },
    spec: { product: 'hello', repo: 'acme/hello', commit: 'c', version: 'v0.1.0', startedBy: 'jo' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => ({
    phase: 'Succeeded' as const,
    zones: [{ name: ref.zone, phase: 'Verified' as const }],
  }));
  const { captureScreenshot, saveScreenshotPlaceholder } = createScreenshotActivities({
    store,
    browser: options.browser,
    zoneAddress: () => options.site,
    zoneService: () => options.site,
    allowedInside: [],
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  const readScreenshot = async () => {
    const { status } = await store.get(ReleaseKind, { namespace, name: ref.release });
    return status?.zones[0]?.screenshot;
  };
  return {
    store,
    release,
    setRunning,
    readScreenshot,
    saveScreenshotPlaceholder,
    capture: async (more: { digest?: string } = {}) =>
      await new MockActivityEnvironment().run(captureScreenshot, { ...ref, ...more }),
    readZoneScreenshot: async () => (await store.get(ProductKind, product)).status?.zones?.[0]?.screenshot,
    image: async () => {
      const id = toArtifactId((await readScreenshot())?.artifact ?? '');
      const found = await store.get(ConfigMapKind, { namespace, name: id });
      return { ...found.metadata, bytes: Buffer.from(found.binaryData?.[artifactDataKey] ?? '', 'base64') };
    },
    images: async () => (await store.list(ConfigMapKind, { namespace })).items.length,
  };
}

describeWithChromium('captureScreenshot', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser({ loadTimeoutMs: 60_000, captureTimeoutMs: 120_000 })));
  afterAll(async () => await browser.close());

  it('saves the screenshot and records it on the Release and the zone', async () => {
    const { url } = await startSite({ '/': '<h1>Hello</h1>' });
    const zone = await createRunningRelease({ browser, site: url });
    expect(await zone.capture()).toEqual({ outcome: 'taken' });
    const screenshot = await zone.readScreenshot();
    expect(screenshot).toMatchObject({ name: 'hello-rc.png', type: 'image/png', at: '2026-01-01T00:00:00.000Z' });
    expect(await zone.readZoneScreenshot()).toEqual(screenshot);
    const { bytes, labels, ownerReferences } = await zone.image();
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBe(screenshot?.sizeBytes);
    expect(labels).toEqual({ [artifactReleaseLabel]: zone.release.metadata.uid });
    expect(ownerReferences).toMatchObject([{ kind: 'Release', name: ref.release }]);
  });

  it('creates one image when repeated', async () => {
    const { url } = await startSite({ '/': '<h1>Hello</h1>' });
    const zone = await createRunningRelease({ browser, site: url });
    await zone.capture();
    const first = await zone.readScreenshot();
    await zone.capture();
    expect(await zone.readScreenshot()).toEqual(first);
    expect(await zone.images()).toBe(1);
  });

  it('opens the root of the smoke check URL', async () => {
    const { url, requests } = await startSite({ '/': '<h1>Hello</h1>' });
    const zone = await createRunningRelease({ browser, site: url, zone: { verify: { url: `${url}/healthz` } } });
    expect(await zone.capture()).toEqual({ outcome: 'taken' });
    expect(requests[0]).toBe('/');
  });

  it('saves nothing when another Release replaces it before or during the capture', async () => {
    const before = await createRunningRelease({ browser, site: 'http://127.0.0.1:1' });
    await before.setRunning('hello-v0.2.0');
    expect(await before.capture()).toEqual({ outcome: 'superseded' });

    const site = await startSite({
      '/': (_, response) =>
        void during.setRunning('hello-v0.2.0').then(() => response.setHeader('content-type', 'text/html').end('New')),
    });
    const during = await createRunningRelease({ browser, site: site.url });
    expect(await during.capture()).toEqual({ outcome: 'superseded' });
    expect([await during.readScreenshot(), await during.readZoneScreenshot(), await during.images()]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });

  it('opens no address of another host in any spelling, and saves the reason', async () => {
    const canary = await startCanary();
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', 'other.localhost', '169.254.169.254']) {
      const zone = await createRunningRelease({
        browser,
        site: 'http://hello-rc.localhost:1',
        zone: { verify: { url: canary.at(host, '/latest/meta-data') } },
      });
      expect(await zone.capture(), host).toEqual({ outcome: 'failed' });
      expect(await zone.readScreenshot(), host).toMatchObject({
        type: 'image/svg+xml',
        failure: expect.stringContaining('has neither an address of the zone'),
      });
    }
    expect(canary.connections).toEqual([]);
  });
});

it('saves a placeholder without a browser and for a zone without replicas', async () => {
  const browser = noBrowser('Chromium is not installed on this machine.');
  const zone = await createRunningRelease({ browser, site: 'http://hello-rc.localhost:1' });
  expect(await zone.capture()).toEqual({ outcome: 'failed' });
  expect(await zone.readScreenshot()).toMatchObject({
    failure: 'Chromium is not installed on this machine.',
    name: 'hello-rc.svg',
  });
  expect((await zone.image()).bytes.toString()).toContain('Chromium is not installed on this machine.');

  const empty = await createRunningRelease({ browser, site: 'http://hello-rc.localhost:1', zone: { replicas: 0 } });
  await empty.capture();
  expect(await empty.readScreenshot()).toMatchObject({ failure: 'The zone has no replicas, so nothing runs in it.' });
});

it('saves no placeholder after the Release or its Product is deleted', async () => {
  const zone = await createRunningRelease({ browser: noBrowser(''), site: 'http://hello-rc.localhost:1' });
  await zone.store.delete(ReleaseKind, { namespace, name: ref.release });
  expect(await zone.saveScreenshotPlaceholder({ ...ref, reason: 'x' })).toEqual({ outcome: 'failed' });
  await zone.store.delete(ProductKind, { namespace, name: ref.product });
  expect(await zone.saveScreenshotPlaceholder({ ...ref, reason: 'x' })).toEqual({ outcome: 'superseded' });
  expect(await zone.images()).toBe(0);
});

it('takes none of a zone in another cluster, whose Service cannot be reached', async () => {
  const zone = await createRunningRelease({
    browser: noBrowser('unused'),
    site: 'http://x',
    zone: { cluster: 'west' },
  });
  expect(await zone.capture()).toEqual({ outcome: 'unreachable' });
  expect([await zone.readScreenshot(), await zone.images()]).toEqual([undefined, 0]);
});

it('saves the picture of what the zone runs apart from the image that the Release has by now', async () => {
  const browser = noBrowser('It is slow.');
  const zone = await createRunningRelease({ browser, site: 'http://hello-rc.localhost:1' });
  const promotion = 'hello-v0.1.0-hello-rc-2';
  const setRelease = async (digest: string) =>
    await zone.store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => ({
      phase: 'Promoting' as const,
      digest,
      zones: [{ name: ref.zone, phase: 'Promoting' as const, promotion }],
    }));
  await setRelease('sha256:2');
  expect(await zone.capture({ digest: 'sha256:1' })).toEqual({ outcome: 'failed' });
  const first = await zone.readZoneScreenshot();
  expect(first).toMatchObject({ failure: 'It is slow.' });
  expect(await zone.readScreenshot()).toBeUndefined();

  await zone.setRunning(ref.release, 'sha256:2');
  await zone.capture({ digest: 'sha256:2' });
  const second = await zone.readZoneScreenshot();
  expect(second?.artifact).not.toBe(first?.artifact);
  expect(await zone.readScreenshot()).toEqual(second);

  await setRelease('sha256:3');
  await zone.capture({ digest: 'sha256:2' });
  expect((await zone.readZoneScreenshot())?.artifact).not.toBe(first?.artifact);
});

it('saves no picture of an image that the Release has no longer', async () => {
  const site = await startSite({});
  const browser: Browser = { ...noBrowser('No browser.'), capture: async () => await during() };
  const zone = await createRunningRelease({ browser, site: site.url });
  const during = async (): Promise<ScreenshotResult> => {
    await zone.setRunning(ref.release, 'sha256:2');
    return { outcome: 'failed', reason: 'It is slow.' };
  };
  expect(await zone.capture({ digest: 'sha256:1' })).toEqual({ outcome: 'superseded' });
  expect(await zone.saveScreenshotPlaceholder({ ...ref, digest: 'sha256:1', reason: 'It is slow.' })).toEqual({
    outcome: 'superseded',
  });
  expect([await zone.readScreenshot(), await zone.readZoneScreenshot()]).toEqual([undefined, undefined]);
  expect(await zone.capture({ digest: 'sha256:2' })).toEqual({ outcome: 'failed' });
  expect(await zone.readZoneScreenshot()).toMatchObject({ failure: 'It is slow.' });
});
