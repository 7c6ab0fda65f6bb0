import { expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../api/reference/document-types.ts';
import { toOpenApiTypes } from '../../../src/main/generate/openapi-types.ts';

const toText = (schema: object): string => {
  const components = { schemas: { Thing: schema }, parameters: {}, headers: {} };
  return toOpenApiTypes({ paths: {}, components } as unknown as OpenApiDocument);
};

it.each<[schema: object, type: string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ const: 'change' }, "'change'"],
  [{ enum: ['a', 2] }, "'a' | 2"],
  [{ $ref: '#/components/schemas/Other' }, "Schemas['Other']"],
  [{ type: 'array', items: { type: 'boolean' } }, '(boolean)[]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
  [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
  [{ allOf: [{ $ref: '#/components/schemas/Other' }, { description: 'Also.' }] }, "(Schemas['Other'])"],
  [{}, 'unknown'],
])('writes %j as %s', (schema, type) => {
  expect(toText(schema)).toContain(`  Thing: ${type};`);
});

it('marks properties that are not required', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, 'b-c': { type: 'string' } }, required: ['a'] };
  expect(toText(schema)).toContain("    a: string;\n    'b-c'?: string;");
});
