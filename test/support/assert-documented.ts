import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { App } from '../../api/deps.ts';
import { checkEvents, type EventViolation } from './check-events.ts';

type Header = { required?: boolean };
type DocumentedResponse = {
  content?: Record<string, { schema?: object }>;
  headers?: Record<string, Header | { $ref: string }>;
  'x-event-stream'?: { events: Record<string, { data: object }> };
};
type Operation = { operationId: string; responses: Record<string, DocumentedResponse> };
export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components?: { headers?: Record<string, Header> };
};
export type DescribedResponse = { status: number; headers: Headers; body: string };

/** Returns how a response differs from the document, or undefined; a path of no operation needs no documentation. */
export type ResponseViolation = (method: string, path: string, response: DescribedResponse) => string | undefined;

/** Returns how the events of an operation differ from the document. */
export type FindEventViolation = (method: string, path: string, status: number) => EventViolation;
export type DocumentChecks = { findViolation: ResponseViolation; findEventViolation: FindEventViolation };

/** Compiles a schema when the first response needs it, because few operations are called in one process. */
export function createDocumentChecks(document: OpenApiDocument): DocumentChecks {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closeObjects(document), 'openapi');
  const matchers = Object.keys(document.paths).map((template) => ({ template, shape: toShape(template) }));
  const byPrecision = matchers.toSorted((one, other) => countParams(one.template) - countParams(other.template));
  const findOperation = (method: string, path: string): { template: string; operation: Operation } | undefined => {
    const template = byPrecision.find(({ shape }) => shape.test(path))?.template ?? '';
    const operation = document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
    return operation && { template, operation };
  };

  const isRequired = (header: Header | { $ref: string }): boolean =>
    ('$ref' in header ? document.components?.headers?.[header.$ref.split('/').at(-1) ?? ''] : header)?.required ??
    false;

  const findViolation: ResponseViolation = (method, path, { status, headers, body }) => {
    const found = findOperation(method, path);
    if (!found) return undefined;
    const { template, operation } = found;
    const where = `${operation.operationId}: ${status}`;
    const documented = operation.responses[status];
    if (!documented) return `${where} is not documented`;
    const required = Object.entries(documented.headers ?? {}).filter(([, header]) => isRequired(header));
    const missing = required.flatMap(([name]) => (headers.has(name) ? [] : [name]));
    if (missing.length > 0) return `${where} has no header ${missing.join(', ')}`;
    if (method === 'HEAD') return undefined;
    const mediaType = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const content = documented.content ?? {};
    if (mediaType === 'text/event-stream' && documented['x-event-stream']) return undefined;
    if (mediaType === '' && body === '') return Object.keys(content).length === 0 ? undefined : `${where} has no body`;
    const range = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'].find((candidate) => candidate in content);
    if (range === undefined) return `${where} has the undocumented Content-Type "${mediaType}"`;
    if (range === '*/*' || !/[/+]json$/.test(mediaType)) return undefined;
    const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', range, 'schema'];
    const validate = getValidator(ajv, pointer);
    if (validate(JSON.parse(body))) return undefined;
    return `${where} breaks its schema: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}`;
  };

  const findEventViolation: FindEventViolation = (method, path, status) => {
    const { template, operation } = findOperation(method, path) ?? {};
    return ({ event = 'message', data }) => {
      if (template === undefined || !operation) return undefined;
      const where = `${operation.operationId}: the event "${event}"`;
      const { events = {} } = operation.responses[status]?.['x-event-stream'] ?? {};
      if (!(event in events)) return `${where} is not documented`;
      const response = ['paths', template, method.toLowerCase(), 'responses', String(status)];
      const validate = getValidator(ajv, [...response, 'x-event-stream', 'events', event, 'data']);
      if (validate(JSON.parse(data))) return undefined;
      return `${where} breaks its schema: ${ajv.errorsText(validate.errors, { dataVar: 'data' })}`;
    };
  };
  return { findViolation, findEventViolation };
}

function getValidator(ajv: Ajv2020, path: string[]): ValidateFunction {
  const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validator = ajv.getSchema(`openapi#/${pointer}`);
  if (!validator) throw new Error(`The document has no schema at ${pointer}.`);
  return validator;
}

/** Generated clients drop properties that are not documented, so objects that name their properties allow no others. */
function closeObjects<T>(schema: T, isPart = false): T {
  if (Array.isArray(schema)) return schema.map((item: unknown) => closeObjects(item)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.entries(schema).map(([key, value]): [string, unknown] => [key, closeMembers(key, value)]);
  const isObject = '$ref' in schema || 'allOf' in schema || ('properties' in schema && 'type' in schema);
  return { ...Object.fromEntries(closed), ...(isObject && !isPart && { unevaluatedProperties: false }) } as T;
}

/** The parts of a whole and the components are closed where they are used. */
function closeMembers(key: string, value: unknown): unknown {
  if (key === 'allOf') return (value as object[]).map((part) => closeObjects(part, true));
  if (key !== 'schemas') return closeObjects(value);
  return Object.fromEntries(
    Object.entries(value as object).map(([name, schema]) => [name, closeObjects(schema, true)]),
  );
}

const countParams = (template: string): number => template.split('{').length;
const toShape = (template: string): RegExp =>
  new RegExp(`^/api${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

let checks: Promise<DocumentChecks> | undefined;

/**
 * Makes every response of the app that differs from its own OpenAPI document fail the test that asked for it, and every
 * such event of a stream the test that reads it.
 */
export function assertDocumented(app: App): App {
  const send = app.fetch;
  const createChecks = async (): Promise<DocumentChecks> =>
    createDocumentChecks(
      (await (await send(new Request('http://localhost/api/openapi.json'))).json()) as OpenApiDocument,
    );
  app.fetch = async (request, ...rest) => {
    const { method, url } = request;
    const { pathname } = new URL(url);
    const response = await send(request, ...rest);
    const body = await readJson(response);
    checks ??= createChecks();
    const { findViolation, findEventViolation } = await checks;
    const found = findViolation(method, pathname, { ...pick(response), body });
    if (found !== undefined) throw new Error(`${method} ${pathname}: ${found}. Body: ${body}`);
    return checkEvents(response, findEventViolation(method, pathname, response.status));
  };
  return app;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };

/** Reads a copy of a JSON body; another body may be a stream that never ends. */
async function readJson(response: Response): Promise<string> {
  if (!/[/+]json/.test(response.headers.get('content-type') ?? '')) return response.body === null ? '' : '…';
  const bytes = Buffer.from(await response.clone().arrayBuffer());
  const decode = decoders[response.headers.get('content-encoding') ?? ''];
  return (decode ? decode(bytes) : bytes).toString();
}

const pick = ({ status, headers }: Response): { status: number; headers: Headers } => ({ status, headers });
