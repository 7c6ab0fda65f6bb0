import { expect, it } from 'vitest';
import type { Entry, OpenApiDocument, Operation } from '../../../api/reference/document-types.ts';
import { toCurl } from '../../../api/reference/to-curl.ts';

const servers = [{ url: 'https://delivery.acme.dev/api' }];
const write = (method: string, path: string, operation: Partial<Operation> = {}): string[] => {
  const entry: Entry = { method, path, operation: { operationId: 'any', responses: {}, ...operation } };
  return toCurl(entry, { servers } as OpenApiDocument).split(' \\\n  ');
};
const url = (path: string): string => `"https://delivery.acme.dev/api${path}"`;
const token = '-H "Authorization: Bearer $TOKEN"';
const ifMatch = { $ref: '#/components/parameters/IfMatch' };
const text = { type: 'string' };
const body = { content: { 'application/json': { example: { title: "Ada's" } } } };

it('reads with a token, the path and the required parameters', () => {
  const parameters = [
    ifMatch,
    { name: 'org', in: 'path', required: true, schema: text, example: 'a/b' },
    { name: 'to', in: 'query', required: true, schema: text, example: 'x y' },
    { name: 'confirm', in: 'query', schema: text, example: 'prod' },
    { name: 'limit', in: 'query', schema: text, example: 50 },
    { name: 'X-Key', in: 'header', required: true, schema: text, example: 'key' },
  ];
  expect(write('get', '/v1/{org}', { parameters })).toEqual([`curl ${url('/v1/a%2Fb?to=x+y&confirm=prod')}`, token]);
});

it.each([
  ['anyone', []],
  ['setup-token', ['-H "X-Service-Setup-Token: $SETUP_TOKEN"']],
  ['viewer', [token]],
])('sends the credentials of the role %s', (role, credentials) => {
  expect(write('get', '/v1', { 'x-role': role })).toEqual([`curl ${url('/v1')}`, ...credentials]);
});

it('sends the version that a body replaces, and a body that a shell reads as one word', () => {
  const json = String.raw`--json '{"title":"Ada'\''s"}'`;
  expect(write('put', '/v1', { parameters: [ifMatch], requestBody: body })).toEqual([
    'curl -X PUT',
    url('/v1'),
    token,
    `-H 'If-Match: "4711"'`,
    json,
  ]);
  const parameters = [{ $ref: '#/components/parameters/RequestId' }];
  expect(write('post', '/v1', { parameters, requestBody: body })).toEqual(['curl -X POST', url('/v1'), token, json]);
});

it('sends a form field by field, and another body as a file', () => {
  const form = { content: { 'application/x-www-form-urlencoded': { example: { email: 'a@b', code: 7 } } } };
  const fields = ["--data-urlencode 'email=a@b'", "--data-urlencode 'code=7'"];
  expect(write('post', '/v1', { requestBody: form })).toEqual(['curl -X POST', url('/v1'), token, ...fields]);
  const empty = { content: { 'application/x-www-form-urlencoded': {} } };
  expect(write('post', '/v1', { requestBody: empty })).toEqual(['curl -X POST', url('/v1'), token]);
  const archive = { content: { 'application/zip': {} } };
  const file = ['-H "Content-Type: application/zip"', '--data-binary @file'];
  expect(write('post', '/v1', { requestBody: archive })).toEqual(['curl -X POST', url('/v1'), token, ...file]);
});
