import type { Browser } from './browser.ts';

/** Where there is no browser: it says so of every site. */
export const missingBrowser = (why: string): Browser => ({
  shoot: async () => ({ outcome: 'failed', why }),
  close: async () => {},
});
