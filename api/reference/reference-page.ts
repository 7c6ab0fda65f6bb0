import type { OpenApiDocument } from './openapi-document.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { toExample, toTypeText, type Schema } from './schema-text.ts';

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  deprecated?: boolean;
  'x-role'?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
};
type Entry = { method: string; path: string; operation: Operation };
type Schemas = Record<string, Schema>;

/** Renders the API reference as static HTML; it needs no script, no other resource and no account. */
export function referencePage(document: OpenApiDocument, publicUrl: string): string {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const byTag = Map.groupBy(listOperations(document), ({ operation }) => operation.tags?.[0] ?? 'Other');
  const groups = [...byTag].map(([tag, entries]) => ({ tag, entries }));
  const links = groups.map(
    ({ tag, entries }) => `<strong>${escapeHtml(tag)}</strong><ul>${entries.map(link).join('')}</ul>`,
  );
  const nav = `${links.join('')}<strong>More</strong><ul><li><a href="docs/problems">Problems</a></li><li><a href="#schemas">Schemas</a></li><li><a href="openapi.yaml">openapi.yaml</a></li><li><a href="openapi.json">openapi.json</a></li></ul>`;
  const sections = groups.map(
    ({ tag, entries }) =>
      `<h2>${escapeHtml(tag)}</h2>${entries.map((entry) => renderOperation(entry, schemas, publicUrl)).join('')}`,
  );
  const shapes = Object.entries(schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${linkTypes(toTypeText(schema))}</article>`,
  );
  const intro = `<h1>${escapeHtml(document.info.title)} <span class="soft">${escapeHtml(document.info.version)}</span></h1><p>${escapeHtml(document.info.description ?? '')}</p>`;
  return htmlPage(document.info.title, {
    nav,
    main: `${intro}${sections.join('')}<h2 id="schemas">Schemas</h2>${shapes.join('')}`,
  });
}

function listOperations({ paths = {} }: OpenApiDocument): Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({ method, path, operation })),
  );
}

const link = ({ operation }: Entry): string =>
  `<li><a href="#${operation.operationId}">${escapeHtml(operation.operationId)}</a></li>`;
/** Links the names of schemas; the text is escaped first, so every link in the result is generated here. */
const linkTypes = (type: string): string =>
  `<pre>${escapeHtml(type).replace(/@(\w+)/g, '<a href="#schema-$1">$1</a>')}</pre>`;

function renderOperation(entry: Entry, schemas: Schemas, publicUrl: string): string {
  const { operation, method, path } = entry;
  const { operationId, summary = operationId, parameters = [], responses = {} } = operation;
  const body = findBodySchema(operation);
  const badge = (label: string): string => ` <span class="role">${escapeHtml(label)}</span>`;
  return `<article id="${operationId}"${operation.deprecated ? ' class="deprecated"' : ''}>
<h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
<p><code><span class="method">${method}</span> ${escapeHtml(path)}</code>${badge(operation['x-role'] ?? '')}${operation.deprecated ? badge('deprecated') : ''}</p>
${parameterTable(parameters)}
${bodyText(body)}
${responseTable(responses)}
<details><summary class="soft">Example</summary><pre>${escapeHtml(curl(entry, body && toExample(body, schemas), publicUrl))}</pre></details></article>`;
}

const findBodySchema = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content?.['application/json']?.schema;
const bodyText = (body: Schema | undefined): string =>
  body ? `<p class="soft">Body</p>${linkTypes(toTypeText(body))}` : '';

function parameterTable(list: Parameter[]): string {
  if (list.length === 0) return '';
  const rows = list.map(
    ({ name, in: location, required, schema, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${location}${required ? '' : ', optional'}</td><td><code>${escapeHtml(toTypeText(schema ?? {}))}</code></td><td>${escapeHtml(description ?? schema?.description ?? '')}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function responseTable(all: NonNullable<Operation['responses']>): string {
  const rows = Object.entries(all).map(([status, { description, content }]) => {
    const schema = content?.['application/json']?.schema;
    return `<tr><td>${status}</td><td>${escapeHtml(description ?? '')}</td><td>${schema ? linkTypes(toTypeText(schema)) : ''}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function curl({ method, path, operation }: Entry, example: unknown, publicUrl: string): string {
  const url = `${publicUrl}/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}`;
  const credentials = { anyone: '', 'setup-token': ` \\\n  -H "X-Service-Setup-Token: $SETUP_TOKEN"` }[
    operation['x-role'] ?? ''
  ];
  const header = credentials ?? ` \\\n  -H "Authorization: Bearer $TOKEN"`;
  const body =
    example === undefined ? '' : ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(example)}'`;
  return `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${url}"${header}${body}`;
}
