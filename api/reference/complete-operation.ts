import {
  commonParameters,
  onlyRedirects,
  serverResponses,
  type HeaderName,
  type ParameterName,
} from './common-parts.ts';
import type { DocumentedResponse, Entry, EventStream, Media, Operation, Parameter, Schemas } from './document-types.ts';
import { operationExamples } from './example-values.ts';
import { toExample } from './to-example.ts';

/** Completes an operation with what holds for all operations: headers, streams and examples. */
export function completeOperation(entry: Entry, schemas: Schemas): Operation {
  const { operation } = entry;
  const { operationId, requestBody, parameters = [], responses } = operation;
  const example = operationExamples[operationId];
  return {
    ...operation,
    parameters: [
      ...parameters.map((parameter) =>
        '$ref' in parameter ? parameter : { ...parameter, example: toParameterExample(parameter, schemas) },
      ),
      ...listCommonParameters(entry).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(requestBody && {
      requestBody: { ...requestBody, content: addExamples(requestBody.content, { schemas, example, owner: 'Body' }) },
    }),
    responses: Object.fromEntries(
      Object.entries({
        ...responses,
        ...serverResponses,
        ...(!hasSuccess(operation) && { default: onlyRedirects }),
      }).map(([status, response]) => [status, completeResponse(response, { status, entry, schemas })]),
    ),
  };
}

const toParameterExample = ({ name, schema, example }: Parameter, schemas: Schemas): unknown =>
  example ?? toExample(schema, { schemas, name });

function listCommonParameters({ method, operation }: Entry): ParameterName[] {
  const { responses, parameters = [] } = operation;
  const declared = new Set(parameters.flatMap((parameter) => ('name' in parameter ? [parameter.name] : [])));
  const conditions: [ParameterName, boolean][] = [
    ['IfMatch', '412' in responses],
    ['IfNoneMatch', '304' in responses],
    ['LastEventId', method === 'get' && isStreamed(operation)],
    ['RequestId', true],
  ];
  return conditions.flatMap(([name, applies]) => (applies && !declared.has(commonParameters[name].name) ? [name] : []));
}

const hasSuccess = ({ responses }: Operation): boolean =>
  Object.keys(responses).some((status) => status.startsWith('2'));
const isStreamed = ({ responses }: Operation): boolean => responses['200']?.content?.[eventStreamType] !== undefined;
const eventStreamType = 'text/event-stream';

type ResponsePlace = { status: string; entry: Entry; schemas: Schemas };

function completeResponse(response: DocumentedResponse, { status, entry, schemas }: ResponsePlace): DocumentedResponse {
  if (status === 'default') return response;
  const { [eventStreamType]: stream, ...content } = response.content ?? {};
  const headers = listHeaders(status, entry.operation).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    ...response,
    headers: { ...Object.fromEntries(headers), ...response.headers },
    ...(response.content && { content: addExamples(content, { schemas }) }),
    ...(stream && { 'x-event-stream': response['x-event-stream'] ?? toEventStream(content) }),
  };
}

/** No operation reads what these create. */
const withoutLocation = new Set(['createIssue', 'createRootUser', 'createUser', 'mintToken', 'uploadArchive']);
/** These responses precede the rate limit. */
const unlimitedStatuses = new Set(['401', '403', '408', '413', '431']);

function listHeaders(status: string, { operationId, deprecated, responses, security = [] }: Operation): HeaderName[] {
  const isSuccess = status.startsWith('2');
  const isLimited = security.some((scheme) => 'session' in scheme) && !unlimitedStatuses.has(status);
  const conditions: [HeaderName, boolean][] = [
    ['X-Request-Id', true],
    ['RateLimit', isLimited],
    ['RateLimit-Policy', isLimited],
    ['ETag', status === '304' || (isSuccess && ('304' in responses || '412' in responses))],
    ['Location', status === '201' && !withoutLocation.has(operationId)],
    ['Retry-After', status === '429' || status === '503'],
    ['WWW-Authenticate', status === '401'],
    ['Deprecation', isSuccess && deprecated === true],
    ['Sunset', isSuccess && deprecated === true],
    ['Link', isSuccess && deprecated === true],
  ];
  return conditions.flatMap(([name, applies]) => (applies ? [name] : []));
}

/** Documents the events apart from the JSON body, because a client generator makes one type of all contents. */
function toEventStream(content: Record<string, Media>): EventStream {
  const view = content['application/json']?.schema ?? {};
  const item = view.properties?.['items']?.items ?? view;
  const name = { type: 'string', description: 'Name of the item.' };
  const resourceVersion = { type: 'string', description: 'Version of the deletion.' };
  return {
    description: 'Server-sent events with `Accept: text/event-stream`. Each `id` can be sent as `Last-Event-ID`.',
    events: {
      changed: { description: 'An item that exists or changed.', data: item },
      deleted: {
        description: 'An item that was removed.',
        data: { type: 'object', properties: { name, resourceVersion }, required: ['name', 'resourceVersion'] },
      },
      relist: { description: 'All items follow again; discard the earlier ones.', data: { type: 'object' } },
      closed: {
        description: 'The caller may no longer read the items, and the stream ends.',
        data: {
          type: 'object',
          properties: {
            reason: { type: 'string', description: 'Machine-readable cause, as the `reason` of a problem.' },
            detail: { type: 'string', description: 'The cause and the fix, for people.' },
          },
          required: ['reason', 'detail'],
        },
      },
    },
  };
}

type ExampleSource = { schemas: Schemas; example?: unknown; owner?: string };

function addExamples(content: Record<string, Media>, source: ExampleSource): Record<string, Media> {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [type, { ...media, ...toMediaExample(type, media, source) }]),
  );
}

function toMediaExample(type: string, { schema, example: own }: Media, { example, ...context }: ExampleSource): Media {
  if (own !== undefined) return { example: own };
  if (type === 'application/json' || type.endsWith('x-www-form-urlencoded'))
    return { example: example ?? (schema && toExample(schema, context)) };
  return {};
}
