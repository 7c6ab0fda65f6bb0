import { createHash, randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser, Shot } from '../../../src/integrations/browser/browser.ts';
import { aSite } from '../../support/hostile-site.ts';
import { describeWithChromium, pidOfBrowser, startBrowser } from '../../support/chromium.ts';

const never = new AbortController().signal;
const sizeOfPng = (image: Uint8Array): number[] => {
  const bytes = Buffer.from(image);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};
const hashOf = (shot: Shot): string => {
  if (shot.outcome === 'failed') throw new Error(shot.why);
  return createHash('sha256').update(shot.image).digest('hex');
};

/** Every pixel of it is different, as in a photograph of noise: the worst there can be for PNG. */
function noise(): string {
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
  beforeAll(async () => void (browser = await startBrowser({ idleMs: 60_000 })));
  afterAll(async () => await browser.close());
  const shoot = async (url: string, by: Browser = browser): Promise<Shot> =>
    await by.shoot({ url, address: '127.0.0.1' }, never);

  it('takes the first screen of the root, 1280 by 800, whatever the path of the address', async () => {
    const { url, asked } = await aSite({ '/': '<body style="height: 5000px"><h1>Hello</h1>' });
    const shot = await shoot(`${url}/healthz?deep=1`);
    expect(shot).toMatchObject({ outcome: 'taken', type: 'image/png' });
    expect(shot.outcome === 'taken' && sizeOfPng(shot.image)).toEqual([1280, 800]);
    expect(asked).toContain('/');
    expect(asked).not.toContain('/healthz?deep=1');
  });

  it('shows what a page fetches and draws after it has loaded', async () => {
    const drawing = "fetch('/words').then((r) => r.text()).then((text) => (document.body.textContent = text))";
    const words = (text: string) => ({ '/': `<body><script>${drawing}</script>`, '/words': text });
    const [one, two] = [await aSite(words('Good morning')), await aSite(words('Good night'))];
    expect(hashOf(await shoot(one.url))).not.toBe(hashOf(await shoot(two.url)));
    expect(hashOf(await shoot(one.url))).toBe(hashOf(await shoot(one.url)));
  });

  it('lets a page speak to its own site by web socket', async () => {
    const { url, asked } = await aSite({ '/': "<script>new WebSocket('/talk')</script>" });
    await shoot(url);
    expect(asked).toContain('upgrade /talk');
  });

  it('keeps a picture that is too large as PNG in a form that is not', async () => {
    const { url } = await aSite({ '/': `<body style="margin: 0"><img src="data:image/png;base64,${noise()}">` });
    const shot = await shoot(url);
    expect(shot).toMatchObject({ outcome: 'taken', type: 'image/jpeg' });
    expect(shot.outcome === 'taken' && shot.image.length).toBeLessThanOrEqual(700 * 1024);
  });

  it('shows several sites at once, each its own', async () => {
    const sites = await Promise.all(
      ['red', 'green', 'blue', 'teal'].map((colour) => aSite({ '/': `<body bgcolor="${colour}">` })),
    );
    const shots = await Promise.all(sites.map(async ({ url }) => hashOf(await shoot(url))));
    expect(new Set(shots).size).toBe(4);
  });

  it('says why a site that is not there has no picture', async () => {
    const { port } = await aSite({});
    const shot = await browser.shoot({ url: `http://gone.localhost:${port}/`, address: '127.0.0.9' }, never);
    expect(shot).toEqual({ outcome: 'failed', why: expect.stringMatching(/^The site did not answer: .*ECONNREFUSED/) });
  });

  it('stops at once when nobody wants the picture any more', async () => {
    const { url } = await aSite({ '/': () => {} });
    const wanted = new AbortController();
    const shooting = browser.shoot({ url, address: '127.0.0.1' }, wanted.signal);
    setTimeout(() => wanted.abort(new Error('superseded')), 200);
    const startedAt = performance.now();
    await expect(shooting).rejects.toThrow('superseded');
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('goes away when nobody needs it, and comes back', async () => {
    const brief = await startBrowser({ idleMs: 50 });
    const { url } = await aSite({ '/': 'Hello' });
    await shoot(url, brief);
    await expect.poll(() => pidOfBrowser(brief.folder), { timeout: 10_000 }).toBeUndefined();
    expect(await shoot(url, brief)).toMatchObject({ outcome: 'taken' });
    await brief.close();
  });
});
