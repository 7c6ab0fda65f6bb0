import { listOperations, type Entry, type OpenApiDocument } from './document-types.ts';
import { escapeHtml, htmlPage, renderText } from './html-page.ts';
import { linkTypes, renderOperation } from './render-operation.ts';
import { toTypeText } from './schema-text.ts';

/** Renders the API reference as static HTML; it needs no script, no other resource and no account. */
export function referencePage(document: OpenApiDocument): string {
  const { info, components, tags } = document;
  const byTag = Map.groupBy(listOperations(document), ({ operation }) => operation.tags?.[0] ?? '');
  const groups = tags.map(({ name, description }) => ({ name, description, entries: byTag.get(name) ?? [] }));
  const links = groups.map(
    ({ name, entries }) => `<strong>${escapeHtml(name)}</strong><ul>${entries.map(link).join('')}</ul>`,
  );
  const nav = `${links.join('')}<strong>More</strong><ul><li><a href="/api/docs/problems">Problems</a></li><li><a href="#schemas">Schemas</a></li><li><a href="/api/openapi.yaml">openapi.yaml</a></li><li><a href="/api/openapi.json">openapi.json</a></li></ul>`;
  const sections = groups.map(
    ({ name, description, entries }) =>
      `<h2>${escapeHtml(name)}</h2>${renderText(description)}${entries.map((entry) => renderOperation(entry, document)).join('')}`,
  );
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${renderText(schema.description ?? '')}${linkTypes(toTypeText(schema))}</article>`,
  );
  const intro = `<h1>${escapeHtml(info.title)} <span class="soft">${escapeHtml(info.version)}</span></h1>${renderText(info.description)}`;
  return htmlPage(info.title, {
    nav,
    main: `${intro}${sections.join('')}<h2 id="schemas">Schemas</h2>${shapes.join('')}`,
  });
}

const link = ({ operation: { operationId, summary = operationId } }: Entry): string =>
  `<li><a href="#${operationId}">${escapeHtml(summary)}</a></li>`;
