import { launch, type Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { chromiumPath } from './chromium.ts';

/** Opens a page in a browser with an empty profile, as a person would; it is closed when the test finishes. */
export async function openChromium(): Promise<Page> {
  const chromium = await launch({ executablePath: chromiumPath, pipe: true, args: ['--no-sandbox'] });
  onTestFinished(async () => await chromium.close());
  const page = await chromium.newPage();
  // A busy machine is several times slower.
  page.setDefaultTimeout(120_000);
  return page;
}

/** Fills in a form by the names of its inputs, submits it, and waits for the page that follows. */
export async function submitForm(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.locator(`input[name=${name}]`).fill(value);
  await Promise.all([page.waitForNavigation(), page.locator('button').click()]);
}

/** Returns what a person reads on the page. */
export const readPage = async (page: Page): Promise<string> => String(await page.evaluate('document.body.innerText'));
