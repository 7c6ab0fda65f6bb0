import type { BrowserContext } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { captureSite } from '../../../src/integrations/browser/capture-site.ts';
import type { IsolatedChromium } from '../../../src/integrations/browser/launch-isolated.ts';

const timeouts = { loadTimeoutMs: 100, settleTimeoutMs: 100, captureTimeoutMs: 100, idleTimeoutMs: 100 };
const never = new Promise<never>(() => {});

const noPage = async (): Promise<never> => await Promise.reject(new Error('no page'));

/** Captures with a browser that closes a context as given. */
async function capture(close: () => Promise<void>, { connected = true, newPage = noPage } = {}) {
  const calls: string[] = [];
  const context = { newPage, close } as unknown as BrowserContext;
  const isolated = {
    chromium: { connected, createBrowserContext: async () => context },
    openProxy: () => ({
      url: 'http://127.0.0.2:1',
      connectionError: () => undefined,
      close: async () => void calls.push('proxy closed'),
    }),
    kill: () => void calls.push('killed'),
  } as unknown as IsolatedChromium;
  const { signal } = new AbortController();
  const site = { url: 'http://shop.localhost', address: '127.0.0.1' };
  return { outcome: await captureSite(isolated, { site, signal, timeouts, imageBytesMax: 1_000 }), calls };
}

it('kills a browser that does not close a page, and only such a one', async () => {
  expect((await capture(async () => await never)).calls).toEqual(['killed', 'proxy closed']);
  expect((await capture(async () => {})).calls).toEqual(['proxy closed']);
  expect((await capture(async () => await Promise.reject(new Error('ended')))).calls).toEqual(['proxy closed']);
});

it('tells a browser that has ended from a page that cannot be shown', async () => {
  expect((await capture(async () => {})).outcome).toEqual({
    outcome: 'failed',
    reason: 'The site could not be shown: no page.',
  });
  expect((await capture(async () => {}, { connected: false })).outcome).toBe('browser-ended');
});

it('ends a capture whose page never opens at its time limit', async () => {
  expect((await capture(async () => {}, { newPage: async () => await never })).outcome).toEqual({
    outcome: 'failed',
    reason: 'The site did not render within 0.1 s.',
  });
});
