import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Browser, ScreenshotResult } from '../../../src/integrations/browser/browser.ts';
import { startSite } from '../../support/servers/test-sites.ts';
import { describeWithChromium, findBrowserPid, startBrowser } from '../../support/servers/chromium.ts';

const neverAborted = new AbortController().signal;
const readPngSize = (image: Uint8Array): number[] => {
  const bytes = Buffer.from(image);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};
const hashImage = (shot: ScreenshotResult): string => {
  if (shot.outcome === 'failed') throw new Error(shot.reason);
  return createHash('sha256').update(shot.image).digest('hex');
};

/** Builds an image of random pixels, the worst case for PNG. */
function buildNoiseImage(): string {
  const [width, height] = [1280, 800];
  const row = (): Buffer => Buffer.concat([Buffer.from([0]), randomBytes(width * 3)]);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 5, 0, 0, 0, 3, 32, 8, 2, 0, 0, 0]);
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, row)), { level: 1 });
  const parts = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]).toString('base64');
}

describeWithChromium('chromiumBrowser', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => void (browser = await startBrowser({ idleTimeoutMs: 60_000 })));
  afterAll(async () => await browser.close());
  const shoot = async (url: string, by: Browser = browser): Promise<ScreenshotResult> =>
    await by.capture({ url, address: '127.0.0.1' }, neverAborted);

  it('captures the first screen of the root path with 1280 by 800 pixels', async () => {
    const { url, requests } = await startSite({ '/': '<body style="height: 5000px"><h1>Hello</h1>' });
    const shot = await shoot(`${url}/healthz?deep=1`);
    expect(shot).toMatchObject({ outcome: 'taken', type: 'image/png' });
    expect(shot.outcome === 'taken' && readPngSize(shot.image)).toEqual([1280, 800]);
    expect(requests).toContain('/');
    expect(requests).not.toContain('/healthz?deep=1');
  });

  it('captures content that a page fetches after it has loaded', async () => {
    const drawing = "fetch('/words').then((r) => r.text()).then((text) => (document.body.textContent = text))";
    const words = (text: string) => ({ '/': `<body><script>${drawing}</script>`, '/words': text });
    const [one, two] = [await startSite(words('Good morning')), await startSite(words('Good night'))];
    expect(hashImage(await shoot(one.url))).not.toBe(hashImage(await shoot(two.url)));
    expect(hashImage(await shoot(one.url))).toBe(hashImage(await shoot(one.url)));
  });

  it('allows a WebSocket to the own site', async () => {
    const { url, requests } = await startSite({ '/': "<script>new WebSocket('/talk')</script>" });
    await shoot(url);
    expect(requests).toContain('upgrade /talk');
  });

  it('falls back to JPEG when the PNG is too large', async () => {
    const { url } = await startSite({
      '/': `<body style="margin: 0"><img src="data:image/png;base64,${buildNoiseImage()}">`,
    });
    const shot = await shoot(url);
    expect(shot).toMatchObject({ outcome: 'taken', type: 'image/jpeg' });
    expect(shot.outcome === 'taken' && shot.image.length).toBeLessThanOrEqual(700 * 1024);
  });

  it('captures several sites concurrently', async () => {
    const sites = await Promise.all(
      ['red', 'green', 'blue', 'teal'].map((colour) => startSite({ '/': `<body bgcolor="${colour}">` })),
    );
    const shots = await Promise.all(sites.map(async ({ url }) => hashImage(await shoot(url))));
    expect(new Set(shots).size).toBe(4);
  });

  it('reports why an unreachable site cannot be captured', async () => {
    const { port } = await startSite({});
    const shot = await browser.capture({ url: `http://gone.localhost:${port}/`, address: '127.0.0.9' }, neverAborted);
    expect(shot).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/^The site did not respond: .*ECONNREFUSED/),
    });
  });

  it('stops immediately on abort', async () => {
    // Without an abort, the capture waits longer than the test.
    const patient = await startBrowser({ loadTimeoutMs: 600_000, captureTimeoutMs: 600_000 });
    onTestFinished(async () => await patient.close());
    const { url, requests } = await startSite({ '/': () => {} });
    const wanted = new AbortController();
    const shooting = patient.capture({ url, address: '127.0.0.1' }, wanted.signal);
    shooting.catch(() => undefined);
    await expect.poll(() => requests).toContain('/');
    wanted.abort(new Error('superseded'));
    await expect(shooting).rejects.toThrow('superseded');
  });

  it('closes when idle and starts again', async () => {
    const brief = await startBrowser({ idleTimeoutMs: 50 });
    const { url } = await startSite({ '/': 'Hello' });
    await shoot(url, brief);
    await expect.poll(() => findBrowserPid(brief.folder)).toBeUndefined();
    expect(await shoot(url, brief)).toMatchObject({ outcome: 'taken' });
    await brief.close();
    expect(existsSync(brief.folder)).toBe(false);
  });
});
