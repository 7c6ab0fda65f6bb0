import { expect, it } from 'vitest';
import { toConstraintText, toTypeText, type Schema } from '../../../api/reference/schema-text.ts';

const schema: Schema = {
  properties: { name: { type: 'string' }, size: { enum: ['s', 'm'] }, owner: { $ref: '#/components/schemas/User' } },
  required: ['name', 'owner'],
};

it('formats a schema like a type', () => {
  expect(toTypeText(schema)).toBe('{\n  name: string\n  size?: "s" | "m"\n  owner: @User\n}');
});

it.each<[Schema, string]>([
  [{ anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/User' }] }, 'string | @User'],
  [{ oneOf: [{ const: 'all' }, { type: 'integer' }] }, '"all" | integer'],
  [{ allOf: [{ $ref: '#/components/schemas/User' }, { type: 'object' }] }, '@User & object'],
  [{ type: 'array', items: { type: 'string' } }, 'list of string'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map of integer'],
  [{ type: 'object', additionalProperties: false }, 'object'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'string | null (date-time)'],
  [{}, 'any'],
])('formats %j as %s', (given, text) => {
  expect(toTypeText(given)).toBe(text);
});

it('indents an object within another, with what its properties mean and allow', () => {
  const size: Schema = { type: 'integer', description: 'Number of pods.', minimum: 1, maximum: 3 };
  const nested: Schema = { properties: { size, note: { type: 'string' } }, required: ['size'] };
  expect(toTypeText({ properties: { spec: nested } })).toBe(
    '{\n  spec?: {\n    size: integer   — Number of pods. 1 to 3\n    note?: string\n  }\n}',
  );
});

it.each<[Schema, string]>([
  [{ type: 'string', minLength: 1 }, 'at least 1 characters'],
  [{ type: 'array', minItems: 1, maxItems: 3 }, '1 to 3 items'],
  [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'at least 0'],
  [{ type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: 0 }, 'at most 0'],
  [{ type: 'boolean', default: false }, 'default false'],
  [{ type: 'string', format: 'email', pattern: '^.+@.+$' }, ''],
])('formats the limits of %j as "%s"', (given, text) => {
  expect(toConstraintText(given)).toBe(text);
});

it('formats limits, patterns and defaults', () => {
  expect(toConstraintText({ type: 'string', minLength: 1, maxLength: 40, pattern: '^a' })).toBe(
    '1 to 40 characters, matches ^a',
  );
  expect(toConstraintText({ type: 'integer', maximum: 500, default: 50 })).toBe('at most 500, default 50');
  expect(toConstraintText({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER })).toBe('');
});
