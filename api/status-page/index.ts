import type { ApiDeps, App } from '../deps.ts';
import { getStatusPage } from './get-status-page.ts';
import { createStatusPageReader } from './read-status-page.ts';
import { serveStatusPage } from './serve-status-page.ts';
import { StatusPageCache } from './status-page-cache.ts';

/** Mounts the status page as an operation of the API, and as a page at the root; both are views of one cache. */
export function statusPages({ app, api }: { app: App; api: App }, deps: ApiDeps): void {
  const cache = new StatusPageCache(createStatusPageReader(deps), deps.statusPageClock);
  getStatusPage(api, cache);
  serveStatusPage(app, cache);
}
