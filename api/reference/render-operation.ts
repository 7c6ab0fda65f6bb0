import { problemKinds } from '../http/problem.ts';
import { toCurl } from './to-curl.ts';
import type { DocumentedResponse, Entry, Media, OpenApiDocument, Operation, Parameter } from './document-types.ts';
import { escapeHtml, renderInline, renderText } from './html-page.ts';
import { refName, toConstraintText, toTypeText } from './schema-text.ts';

/** Links the names of schemas; the text is escaped first, so every link in the result is generated here. */
export const linkTypes = (type: string): string =>
  `<pre>${escapeHtml(type).replace(/@(\w+)/g, '<a href="#schema-$1">$1</a>')}</pre>`;

export function renderOperation(entry: Entry, document: OpenApiDocument): string {
  const { operation, method, path } = entry;
  const { operationId, summary = operationId, description = '', deprecated = false, requestBody } = operation;
  const badges = [operation['x-role'] ?? '', ...(deprecated ? ['deprecated'] : [])].map(
    (label) => ` <span class="role">${escapeHtml(label)}</span>`,
  );
  return `<article id="${operationId}"${deprecated ? ' class="deprecated"' : ''}>
<h3><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
<p><code><span class="method">${method}</span> ${escapeHtml(path)}</code>${badges.join('')}</p>
${renderText(description)}
${renderParameters(listParameters(operation, document))}
${requestBody ? `<p class="soft">Body${requestBody.required ? '' : ', optional'}</p>${renderContent(requestBody.content)}` : ''}
<p class="soft">Responses</p>
${renderResponses(operation.responses)}
<details><summary class="soft">Example of ${escapeHtml(operationId)}</summary><pre>${escapeHtml(toCurl(entry, document))}</pre>${renderExample(operation)}</details></article>`;
}

/** The headers of every operation are described once, in the introduction of the page. */
function listParameters({ parameters = [] }: Operation, { components }: OpenApiDocument): Parameter[] {
  const named = parameters.map((parameter) =>
    '$ref' in parameter ? components.parameters[refName(parameter) ?? ''] : parameter,
  );
  return named.filter((parameter) => parameter !== undefined);
}

function renderParameters(list: Parameter[]): string {
  if (list.length === 0) return '';
  const rows = list.map(({ name, in: location, required, schema, description = '' }) => {
    const constraints = toConstraintText(schema);
    const type = `${toTypeText(schema)}${constraints === '' ? '' : `, ${constraints}`}`;
    return `<dt><code>${escapeHtml(name)}</code> <span class="soft">${location}${required ? '' : ', optional'}, ${escapeHtml(type)}</span></dt><dd>${renderInline(description)}</dd>`;
  });
  return `<p class="soft">Parameters</p><dl>${rows.join('')}</dl>`;
}

function renderContent(content: Record<string, Media>): string {
  return Object.entries(content)
    .map(([type, { schema = {} }]) => {
      const isBinary = schema.format === 'binary';
      return `<p class="soft"><code>${escapeHtml(type)}</code></p>${isBinary ? '' : linkTypes(toTypeText(schema))}`;
    })
    .join('');
}

function renderResponses(all: Operation['responses']): string {
  const rows = Object.entries(all).map(([status, response]) => {
    const headers = Object.keys(response.headers ?? {}).filter((name) => name !== 'X-Request-Id');
    const names = headers.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ');
    const header = headers.length === 0 ? '' : ` <span class="soft">with ${names}</span>`;
    return `<dt><strong>${status}</strong> ${describeResponse(status, response)}${header}</dt><dd>${renderBody(response)}</dd>`;
  });
  return `<dl>${rows.join('')}</dl>`;
}

function describeResponse(status: string, { description, content = {} }: DocumentedResponse): string {
  const code = Object.entries(problemKinds).find(([, kind]) => String(kind.status) === status)?.[0];
  const text = renderInline(description);
  return 'application/problem+json' in content && code ? `<a href="/api/docs/problems#${code}">${text}</a>` : text;
}

function renderBody({ content = {}, 'x-event-stream': stream }: DocumentedResponse): string {
  const { 'application/problem+json': _, ...own } = content;
  if (!stream) return renderContent(own);
  const events = Object.entries(stream.events).map(
    ([name, { description, data }]) =>
      `<dt><code>${name}</code></dt><dd>${renderInline(description)}${linkTypes(toTypeText(data))}</dd>`,
  );
  return `${renderContent(own)}<p class="soft"><code>text/event-stream</code></p><p>${renderInline(stream.description)}</p><dl>${events.join('')}</dl>`;
}

function renderExample({ responses }: Operation): string {
  const example = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.[
    'application/json'
  ]?.example;
  return example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, undefined, 2))}</pre>`;
}
