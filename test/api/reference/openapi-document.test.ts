import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../../api/reference/schema-text.ts';
import { fillPath } from '../../../api/reference/to-curl.ts';
import { listOperations, type Media, type OpenApiDocument } from '../../../api/reference/document-types.ts';
import { startApi } from '../../support/start-api.ts';
import { ensureNodeTools, requireTool } from '../../support/api-tools/ensure-api-tools.ts';
import { lintOpenApi } from '../../support/api-tools/lint-openapi.ts';
import { readOpenApiDocument } from './openapi-fixture.ts';

const cleanups: (() => Promise<void>)[] = [];
let document: OpenApiDocument;
beforeAll(async () => {
  document = await readOpenApiDocument((cleanup) => cleanups.push(cleanup));
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** Lists the properties of a schema that neither they nor the schema that they refer to describe. */
function findUndescribed(schema: Schema, path: string): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const referenced = document.components.schemas[property.$ref?.split('/').at(-1) ?? ''];
    const isDescribed = [property, referenced, ...(property.allOf ?? [])].some((part) => part?.description);
    return [...(isDescribed ? [] : [`${path}.${name}`]), ...findUndescribed(property, `${path}.${name}`)];
  });
  const nested = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf].filter((part) => typeof part === 'object');
  return [...own, ...nested.flatMap((part) => findUndescribed(part, path))];
}

const isJson = (type: string): boolean => type === 'application/json';
const lacksExample = ([type, media]: [string, Media]): boolean => isJson(type) && media.example === undefined;

describe('the OpenAPI document', () => {
  it('describes every operation, parameter and property', () => {
    const operations = listOperations(document).map(({ operation }) => operation);
    const missing = operations.flatMap(({ operationId, description, parameters = [], requestBody, responses }) => {
      const contents = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
      return [
        ...(description ? [] : [operationId]),
        ...parameters.flatMap((parameter) =>
          '$ref' in parameter || parameter.description ? [] : [`${operationId}?${parameter.name}`],
        ),
        ...contents.flatMap(({ schema }) => (schema ? findUndescribed(schema, operationId) : [])),
      ];
    });
    const schemas = Object.entries(document.components.schemas);
    expect(operations.length).toBeGreaterThan(80);
    expect(schemas.length).toBeGreaterThan(40);
    expect([...missing, ...schemas.flatMap(([name, schema]) => findUndescribed(schema, name))]).toEqual([]);
  });

  it('has an example of every parameter, JSON body and successful JSON response', () => {
    const missing = listOperations(document).flatMap(({ operation }) => {
      const { operationId, parameters = [], requestBody, responses } = operation;
      const successes = Object.entries(responses).flatMap(([status, response]) =>
        status.startsWith('2') ? [response] : [],
      );
      const contents = [requestBody, ...successes].flatMap((part) => Object.entries(part?.content ?? {}));
      const named = parameters.filter((parameter) => !('$ref' in parameter) && parameter.example === undefined);
      return named.length > 0 || contents.some(lacksExample) ? [operationId] : [];
    });
    expect(missing).toEqual([]);
  });

  it('documents the headers of every response, what every operation may respond, and streams apart from the JSON body', () => {
    const operations = listOperations(document).map(({ operation }) => operation);
    for (const { operationId, responses } of operations) {
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['408', '431', '500', '503']));
      for (const [status, { headers = {}, content = {} }] of Object.entries(responses)) {
        expect(status === 'default' || 'X-Request-Id' in headers, `${operationId} ${status}`).toBe(true);
        expect(Object.keys(content), operationId).not.toContain('text/event-stream');
      }
      expect(responses['401'] === undefined || 'WWW-Authenticate' in (responses['401'].headers ?? {})).toBe(true);
    }
    const streams = operations.flatMap(({ responses }) => responses['200']?.['x-event-stream'] ?? []);
    expect(streams.length).toBeGreaterThanOrEqual(4);
    for (const { events } of streams) {
      expect(Object.keys(events)).toEqual(['changed', 'deleted', 'relist', 'closed']);
      const { data = {} } = events['changed'] ?? {};
      expect('$ref' in data || 'view' in (data.properties ?? {})).toBe(true);
    }
  });

  it('documents the rate limit of every caller, and its headers are sent', async () => {
    const { request } = await startApi({ role: 'viewer' });
    const { headers } = await request('/v1/me');
    const names = ['RateLimit', 'RateLimit-Policy'];
    expect(names.filter((name) => headers.has(name))).toEqual(names);
    for (const { operation } of listOperations(document)) {
      const { security = [], responses, operationId } = operation;
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
      const isLimited = security.some((scheme) => 'session' in scheme);
      expect(
        names.every((name) => name in (success?.[1].headers ?? {})),
        operationId,
      ).toBe(isLimited);
    }
  });

  it('describes the body of a code host delivery and how it is signed', () => {
    const delivery = listOperations(document).find(({ operation: { operationId } }) =>
      operationId.startsWith('receiveCodehost'),
    )?.operation;
    const schema = delivery?.requestBody?.content['application/json']?.schema;
    expect(schema?.anyOf?.map(({ properties }) => Object.keys(properties ?? {}))).toEqual([
      ['action', 'issue', 'label', 'repository', 'sender'],
      ['action', 'pull_request', 'repository', 'sender'],
      ['action', 'pull_request', 'repository', 'sender'],
      [],
    ]);
    expect(delivery?.requestBody?.content).toHaveProperty('application/x-www-form-urlencoded');
    expect(JSON.stringify(delivery?.parameters)).toContain('X-Hub-Signature-256');
  });

  it('allows exactly the e-mail addresses that requests may contain', () => {
    expect(JSON.stringify(document).match(/"format":"email"/g)?.length).toBeGreaterThan(4);
    expect(JSON.stringify(document)).not.toMatch(/"format":"email"(?!,"pattern"|,"description":"[^"]*","pattern")/);
  });

  it('is clean for all rules of Spectral and Redocly', async (context) => {
    const tools = requireTool(await ensureNodeTools(), context);
    expect(await lintOpenApi(tools, document)).toEqual([]);
  });

  it('has examples that the operations accept', async () => {
    const { request } = await startApi({ config: { publicUrl: 'http://localhost:8080' } });
    const setups = listOperations(document).flatMap(({ method, path, operation }) => {
      const media = operation.requestBody?.content['application/json'];
      // A model provider or a registry would be called.
      return media === undefined || ['createRegistry', 'putModelProvider'].includes(operation.operationId)
        ? []
        : [{ method, url: fillPath(path, operation), body: media.example, operation }];
    });
    const refused: string[] = [];
    for (const { method, url, body, operation } of setups) {
      const response = await request(url, { method: method.toUpperCase(), body });
      const text = await response.text();
      const isRefused = [400, 415, 422].includes(response.status) && !text.includes('has no Release named');
      if (isRefused) refused.push(`${operation.operationId}: ${text}`);
    }
    expect(setups.length).toBeGreaterThan(20);
    expect(refused).toEqual([]);
  });
});
