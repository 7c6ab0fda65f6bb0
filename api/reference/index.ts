import { stringify } from 'yaml';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsHtml } from '../http/problem-page.ts';
import { openApiDocument } from './openapi-document.ts';
import { problemsPage } from './problems-page.ts';
import { referencePage } from './reference-page.ts';

/**
 * Serves the OpenAPI document and the reference pages, which are generated from the routes. Each text is made once per
 * process, because making it takes hundreds of milliseconds and anyone may ask for it.
 */
export function reference(api: App, { config, ui }: ApiDeps): void {
  const document = once(() => openApiDocument(api, config));
  const json = once(() => JSON.stringify(document()));
  const yaml = once(() => stringify(document(), { aliasDuplicateObjects: false }));
  const page = once(() => referencePage(document()));
  const problems = once(problemsPage);

  // The platform prints the base URL, and a person may open it in a browser.
  api.get('/', (c) => c.redirect(`${config.publicUrl}/api/docs`));
  api.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }));
  api.get('/openapi.yaml', (c) => c.body(yaml(), 200, { 'Content-Type': 'application/yaml' }));
  // Browsers get the interactive reference of the web UI.
  api.get('/docs', async (c, next) => (ui && acceptsHtml(c) ? await next() : respondPage(page())));
  api.get('/docs/all', () => respondPage(page()));
  api.get('/docs/problems', () => respondPage(problems()));

  function respondPage(html: string): Response {
    const policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    return new Response(html, {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    });
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
