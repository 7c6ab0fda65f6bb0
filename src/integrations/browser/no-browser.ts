import type { Browser } from './browser.ts';

/** Fails every capture with the reason, on a host without a browser. */
export const noBrowser = (reason: string): Browser => ({
  capture: async () => ({ outcome: 'failed', reason }),
  close: async () => {},
});
