import { stringify } from 'yaml';
import type { ApiDeps, App } from '../deps.ts';
import { openApiDocument } from './document.ts';
import { problemsPage } from './problems-page.ts';
import { referencePage } from './reference-page.ts';

/** What the install says of itself; made from the routes, so it cannot say anything else. */
export function reference(api: App, { config }: ApiDeps): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  const described = () => (document ??= openApiDocument(api, config));

  api.get('/openapi.json', (c) => c.json(described()));
  api.get('/openapi.yaml', (c) =>
    c.body(stringify(described(), { aliasDuplicateObjects: false }), 200, { 'Content-Type': 'application/yaml' }),
  );
  api.get('/docs', () => page(referencePage(described(), config.publicUrl)));
  api.get('/docs/problems', () => page(problemsPage()));

  function page(html: string): Response {
    const policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    return new Response(html, {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    });
  }
}
