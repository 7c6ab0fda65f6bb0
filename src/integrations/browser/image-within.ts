import type { Page } from 'puppeteer-core';

type Image = { image: Uint8Array; type: 'image/png' | 'image/jpeg' };

/** Photographs are too large as PNG; with each step down they lose what is seen least. */
const qualities = [85, 70, 50, 30, 10];

/** What is on the screen, in the best form that is no larger. */
export async function imageWithin(bytesMax: number, page: Page): Promise<Image> {
  const png = await page.screenshot({ type: 'png', captureBeyondViewport: false });
  if (png.length <= bytesMax) return { image: png, type: 'image/png' };
  for (const quality of qualities) {
    const jpeg = await page.screenshot({ type: 'jpeg', quality, captureBeyondViewport: false });
    if (jpeg.length <= bytesMax) return { image: jpeg, type: 'image/jpeg' };
  }
  throw new Error(`The picture is larger than ${bytesMax} bytes in every form`);
}
