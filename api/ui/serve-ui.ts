import { html } from 'hono/html';
import type { Context, NotFoundHandler } from 'hono';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';
import { acceptsHtml, pageHeaders, renderPage } from '../http/problem-page.ts';
import { hasCurrentCopy, Representation, varyHeaders } from '../http/representation.ts';

/**
 * Only our own scripts, styles, fonts and images; agents' evidence is shown as `blob:` and `data:` images. A form may lead
 * to the code host, which takes the manifest of an org's app from the browser.
 */
const buildContentSecurityPolicy = (codehostUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    `form-action 'self' ${new URL(codehostUrl).origin}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** The names of these files contain the hash of their bytes. */
const isHashed = (path: string): boolean => path.startsWith('/assets/');

/** Paths of the service itself, where an unknown path is never a page of the UI; the reference of the API is one. */
const isServicePath = (path: string): boolean => path !== '/api/docs' && /^\/(api|assets|\.service)(\/|$)/.test(path);

/**
 * Serves the web UI: its files, and its start page at every other path that a browser opens, because the UI routes its
 * pages itself. Returns the handler of paths that nothing serves; any other client gets `unknownPath` there.
 */
export function serveUi(
  app: App,
  { ui, config }: ApiDeps,
  unknownPath: NotFoundHandler<ApiEnv>,
): NotFoundHandler<ApiEnv> {
  const files = new Map([...(ui ?? [])].map(([path, { body, type }]) => [path, new Representation(body, { type })]));
  const startPage = files.get('/index.html');
  const respond = async (c: Context<ApiEnv>, file: Representation, cacheControl: string): Promise<Response> =>
    await respondFile(c, file, {
      'Cache-Control': cacheControl,
      'Content-Security-Policy': buildContentSecurityPolicy(config.codehostUrl),
    });
  const respondStartPage = async (c: Context<ApiEnv>): Promise<Response> =>
    startPage ? await respond(c, startPage, 'no-cache') : await respondMissing(c);

  app.get('/', respondStartPage);
  for (const [path, file] of files)
    if (path !== '/index.html')
      app.get(path, async (c) => respond(c, file, isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache'));
  return async (c) => {
    const isPage = c.req.method === 'GET' && !isServicePath(c.req.path) && acceptsHtml(c);
    return isPage && startPage ? await respondStartPage(c) : await unknownPath(c);
  };
}

async function respondFile(
  c: Context<ApiEnv>,
  file: Representation,
  ownHeaders: Record<string, string>,
): Promise<Response> {
  const common = {
    ...varyHeaders,
    ...ownHeaders,
    // With `no-referrer`, browsers send forms with `Origin: null`, as a page of another site could.
    'Referrer-Policy': 'same-origin',
  };
  if (hasCurrentCopy(c, file))
    return new Response(null, { status: 304, headers: { ...common, ETag: file.entityTag() } });
  const { body, headers } = await file.encode(c);
  return new Response(c.req.method === 'HEAD' ? null : body, {
    headers: { ...common, ...headers, 'Content-Type': file.type, 'Content-Length': String(body.length) },
  });
}

/** A process that was started without the build still serves the API. */
async function respondMissing(c: Context<ApiEnv>): Promise<Response> {
  const page = await renderPage(
    'The web UI is not built',
    html`<h1>The web UI is not built</h1>
      <p>
        This process serves the API only. <code>npm start</code> builds the UI, and so does the image; its log says why
        a build failed.
      </p>
      <p><a href="/api/docs">Read the API reference</a></p>`,
  );
  return c.html(page, 503, pageHeaders);
}
