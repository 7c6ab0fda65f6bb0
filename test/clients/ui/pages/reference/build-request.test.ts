import { expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../../../src/clients/ui/api/queries/reference.ts';
import { buildRequest, toCurl, toInitialValues } from '../../../../../src/clients/ui/pages/reference/build-request.ts';
import { listGroups, searchGroups } from '../../../../../src/clients/ui/pages/reference/entries.ts';

const document: OpenApiDocument = {
  info: { title: 'API', version: '1', description: '' },
  servers: [{ url: 'http://localhost/api' }],
  tags: [{ name: 'Issues', description: '' }],
  paths: {
    '/v1/orgs/{org}/issues': {
      post: {
        operationId: 'createIssue',
        summary: 'Create an issue',
        tags: ['Issues'],
        'x-role': 'member',
        parameters: [
          { name: 'org', in: 'path', required: true, schema: { type: 'string' }, example: 'acme' },
          { name: 'dryRun', in: 'query', schema: { type: 'string' } },
          { $ref: '#/components/parameters/Key' },
        ],
        requestBody: { content: { 'application/json': { example: { title: "Ada's" } } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: {},
    parameters: { Key: { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } },
  },
};
const [entry] = listGroups(document)[0]?.entries ?? [];

it('begins with the examples, and sends only what is filled in', () => {
  if (!entry) throw new Error('The document has no operation.');
  const values = toInitialValues(entry, document);
  expect(buildRequest(entry, document, values)).toEqual({
    method: 'POST',
    path: '/api/v1/orgs/acme/issues',
    headers: { 'Content-Type': 'application/json' },
    body: '{\n  "title": "Ada\'s"\n}',
  });
  const parameters = { 'path org': 'a/b', 'query dryRun': 'true', 'header Idempotency-Key': 'k' };
  expect(buildRequest(entry, document, { parameters, body: '' })).toEqual({
    method: 'POST',
    path: '/api/v1/orgs/a%2Fb/issues?dryRun=true',
    headers: { 'Idempotency-Key': 'k' },
  });
});

it('begins without the names of what an operation deletes', () => {
  if (!entry) throw new Error('The document has no operation.');
  const deletion = { ...entry, method: 'delete' };
  expect(buildRequest(deletion, document, toInitialValues(deletion, document))).toMatchObject({
    method: 'DELETE',
    path: '/api/v1/orgs/{org}/issues',
  });
});

it('writes a request as a command that a shell understands', () => {
  if (!entry) throw new Error('The document has no operation.');
  const request = {
    ...buildRequest(entry, document, { parameters: { 'path org': 'acme' }, body: `{"title":"Ada's"}` }),
  };
  expect(toCurl(request, 'http://localhost', 'member')).toBe(
    [
      `curl -X POST 'http://localhost/api/v1/orgs/acme/issues'`,
      '-H "Authorization: Bearer $TOKEN"',
      String.raw`--json '{"title":"Ada'\''s"}'`,
    ].join(' \\\n  '),
  );
});

it.each([
  ['ISSUE create', 1],
  ['post /v1', 1],
  ['create zone', 0],
])('finds by all words of "%s": %i', (text, found) => {
  expect(searchGroups(listGroups(document), text).flatMap(({ entries }) => entries)).toHaveLength(found);
});
