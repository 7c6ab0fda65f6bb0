import type { OpenApiDocument } from './document.ts';
import { escape, page } from './page.ts';
import { exampleOf, typeOf, type Schema } from './schema-text.ts';

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

/** The reference, readable without a script, a network or an account. */
export function referencePage(document: OpenApiDocument, publicUrl: string): string {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const byTag = Map.groupBy(entriesOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other');
  const groups = [...byTag].map(([tag, entries]) => ({ tag, entries }));
  const links = groups.map(
    ({ tag, entries }) => `<strong>${escape(tag)}</strong><ul>${entries.map(link).join('')}</ul>`,
  );
  const nav = `${links.join('')}<strong>More</strong><ul><li><a href="docs/problems">Problems</a></li><li><a href="#schemas">Schemas</a></li><li><a href="openapi.yaml">openapi.yaml</a></li><li><a href="openapi.json">openapi.json</a></li></ul>`;
  const sections = groups.map(
    ({ tag, entries }) =>
      `<h2>${escape(tag)}</h2>${entries.map((entry) => article(entry, schemas, publicUrl)).join('')}`,
  );
  const shapes = Object.entries(schemas).map(
    ([name, schema]) =>
      `<article id="schema-${escape(name)}"><h3>${escape(name)}</h3>${text(typeOf(schema))}</article>`,
  );
  const intro = `<h1>${escape(document.info.title)} <span class="soft">${escape(document.info.version)}</span></h1><p>${escape(document.info.description ?? '')}</p>`;
  return page(document.info.title, {
    nav,
    main: `${intro}${sections.join('')}<h2 id="schemas">Schemas</h2>${shapes.join('')}`,
  });
}

function entriesOf({ paths = {} }: OpenApiDocument): Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({ method, path, operation })),
  );
}

const link = ({ operation }: Entry): string =>
  `<li><a href="#${operation.operationId}">${escape(operation.operationId)}</a></li>`;
/** Names of schemas lead to them; the text is escaped before, so that what looks like a link here is ours. */
const text = (type: string): string => `<pre>${escape(type).replace(/@(\w+)/g, '<a href="#schema-$1">$1</a>')}</pre>`;

function article(entry: Entry, schemas: Schemas, publicUrl: string): string {
  const { operation, method, path } = entry;
  const { operationId, summary = operationId, parameters = [], responses = {} } = operation;
  const body = bodyOf(operation);
  const badge = (label: string): string => ` <span class="role">${escape(label)}</span>`;
  return `<article id="${operationId}"${operation.deprecated ? ' class="deprecated"' : ''}>
<h3><a href="#${operationId}">${escape(summary)}</a></h3>
<p><code><span class="method">${method}</span> ${escape(path)}</code>${badge(operation['x-role'] ?? '')}${operation.deprecated ? badge('deprecated') : ''}</p>
${parameterTable(parameters)}
${bodyText(body)}
${responseTable(responses)}
<details><summary class="soft">Example</summary><pre>${escape(curl(entry, body && exampleOf(body, schemas), publicUrl))}</pre></details></article>`;
}

const bodyOf = ({ requestBody }: Operation): Schema | undefined => requestBody?.content?.['application/json']?.schema;
const bodyText = (body: Schema | undefined): string => (body ? `<p class="soft">Body</p>${text(typeOf(body))}` : '');

function parameterTable(list: Parameter[]): string {
  if (list.length === 0) return '';
  const rows = list.map(
    ({ name, in: where, required, schema, description }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${where}${required ? '' : ', optional'}</td><td><code>${escape(typeOf(schema ?? {}))}</code></td><td>${escape(description ?? schema?.description ?? '')}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function responseTable(all: NonNullable<Operation['responses']>): string {
  const rows = Object.entries(all).map(([status, { description, content }]) => {
    const schema = content?.['application/json']?.schema;
    return `<tr><td>${status}</td><td>${escape(description ?? '')}</td><td>${schema ? text(typeOf(schema)) : ''}</td></tr>`;
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
