import { stringify } from 'yaml';
import type { ApiDeps, App } from '../deps.ts';
import { openApiDocument } from './openapi-document.ts';
import { problemsPage } from './problems-page.ts';
import { referencePage } from './reference-page.ts';

/** Serves the OpenAPI document and the reference pages, which are generated from the routes. */
export function reference(api: App, { config }: ApiDeps): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  const getDocument = () => (document ??= openApiDocument(api, config));

  api.get('/openapi.json', (c) => c.json(getDocument()));
  api.get('/openapi.yaml', (c) =>
    c.body(stringify(getDocument(), { aliasDuplicateObjects: false }), 200, { 'Content-Type': 'application/yaml' }),
  );
  api.get('/docs', () => respondPage(referencePage(getDocument(), config.publicUrl)));
  api.get('/docs/problems', () => respondPage(problemsPage()));

  function respondPage(html: string): Response {
    const policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    return new Response(html, {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    });
  }
}
