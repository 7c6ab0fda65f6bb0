import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { inject, onTestFinished } from 'vitest';
// This import declares the value that the global setup provides.
import type {} from '../global-setup/browser-profiles.ts';
import { findHeadlessShell } from './chromium.ts';

let started: Promise<Browser> | undefined;

/** Opens a page in an empty browser context, as in a person's new browser; it is closed when the test finishes. */
export async function openChromium(): Promise<Page> {
  started ??= startChromium();
  const browser = await started;
  // A worker runs one test at a time, so every context is the test's.
  onTestFinished(async () => {
    for (const context of browser.browserContexts())
      if (context !== browser.defaultBrowserContext()) await context.close();
  });
  return await (await browser.createBrowserContext()).newPage();
}

/** Sets what all pages of a browser wait, also those that a test opens in the context of another page. */
function setLimits(browser: Browser): void {
  const createBrowserContext = browser.createBrowserContext.bind(browser);
  browser.createBrowserContext = async (...options) => {
    const context = await createBrowserContext(...options);
    const newPage = context.newPage.bind(context);
    context.newPage = async (...args) => toPatientPage(await newPage(...args));
    return context;
  };
}

function toPatientPage(page: Page): Page {
  // A busy machine is several times slower.
  page.setDefaultTimeout(120_000);
  // By default, the browser draws frames only to evaluate the condition in each.
  const waitForFunction = page.waitForFunction.bind(page);
  page.waitForFunction = async (condition, options = {}, ...args) =>
    await waitForFunction(condition, { polling: 50, ...options }, ...args);
  return page;
}

/** Starts the one browser of a worker. It ends when the worker closes the pipe, also when the worker is killed. */
async function startChromium(): Promise<Browser> {
  const browser = await launch({
    executablePath: await findHeadlessShell(),
    pipe: true,
    args: ['--no-sandbox'],
    userDataDir: await mkdtemp(join(inject('browserProfiles'), 'worker-')),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  browser.once('disconnected', () => (started = undefined));
  setLimits(browser);
  return browser;
}

/** Fills in a form by the names of its inputs, submits it, and waits for the page that follows. */
export async function submitForm(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.locator(`input[name=${name}]`).fill(value);
  await Promise.all([page.waitForNavigation(), page.locator('button').click()]);
}

/** Returns what a person reads on the page. */
export const readPage = async (page: Page): Promise<string> => String(await page.evaluate('document.body.innerText'));
