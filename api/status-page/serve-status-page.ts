import type { App } from '../deps.ts';
import { problemsAsPages } from '../http/problem-page.ts';
import { ProductParams } from '../http/views.ts';
import { getReadablePage, respondStatusPage } from './respond-status-page.ts';
import type { StatusPageCache } from './status-page-cache.ts';
import { contentSecurityPolicy } from './stylesheet.ts';

const path = '/status/:org/:product';

/** Serves the page for people at the path that a Product can give to its users. */
export function serveStatusPage(app: App, cache: StatusPageCache): void {
  app.use(path, problemsAsPages());
  app.get(path, async (c) => {
    const name = ProductParams.safeParse(c.req.param());
    const { html, isPublic } = await getReadablePage(c, cache, name.success ? name.data : undefined);
    return await respondStatusPage(c, html, {
      isPublic,
      headers: { 'Content-Security-Policy': contentSecurityPolicy },
    });
  });
}
