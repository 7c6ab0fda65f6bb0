/** The one place a browser may go to: the address was looked up and judged once, and stays. */
export type Site = { url: string; address: string };

export type Shot =
  | { outcome: 'taken'; image: Uint8Array; type: 'image/png' | 'image/jpeg' }
  | { outcome: 'failed'; why: string };

export type Browser = {
  /** What a person would see of the site's first screen; what the site does wrong is an outcome, not a fault. */
  shoot(site: Site, signal: AbortSignal): Promise<Shot>;
  close(): Promise<void>;
};

export const viewport = { width: 1280, height: 800 };
