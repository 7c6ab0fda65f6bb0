import type { Page } from 'puppeteer-core';

type Image = { image: Uint8Array; type: 'image/png' | 'image/jpeg' };

/** Pages with photographs are too large as PNG, so lower and lower JPEG qualities are tried. */
const jpegQualities = [85, 70, 50, 30, 10];

/** Captures the screen in the best quality that fits the limit. */
export async function captureImage(bytesMax: number, page: Page): Promise<Image> {
  const png = await page.screenshot({ type: 'png', captureBeyondViewport: false });
  if (png.length <= bytesMax) return { image: png, type: 'image/png' };
  for (const quality of jpegQualities) {
    const jpeg = await page.screenshot({ type: 'jpeg', quality, captureBeyondViewport: false });
    if (jpeg.length <= bytesMax) return { image: jpeg, type: 'image/jpeg' };
  }
  throw new Error(`The screenshot exceeds ${bytesMax} bytes in every quality`);
}
