/** The only site that a browser may reach. The address was resolved and checked before, and is not resolved again. */
export type Site = { url: string; address: string };

export type ScreenshotResult =
  | { outcome: 'taken'; image: Uint8Array; type: 'image/png' | 'image/jpeg' }
  | { outcome: 'failed'; reason: string };

export type Browser = {
  /** Captures the first screen of the site. Errors of the site are an outcome, not an exception. */
  capture(site: Site, signal: AbortSignal): Promise<ScreenshotResult>;
  close(): Promise<void>;
};

export const viewport = { width: 1280, height: 800 };
