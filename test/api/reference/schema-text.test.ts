import { expect, it } from 'vitest';
import { toExample, toTypeText, type Schema } from '../../../api/reference/schema-text.ts';

const schema: Schema = {
  properties: { name: { type: 'string' }, size: { enum: ['s', 'm'] }, owner: { $ref: '#/components/schemas/User' } },
  required: ['name', 'owner'],
};

it('formats a schema like a type', () => {
  expect(toTypeText(schema)).toBe('{\n  name: string\n  size?: "s" | "m"\n  owner: @User\n}');
});

it('creates an example with the required properties', () => {
  const schemas = { User: { properties: { admin: { type: 'boolean' } }, required: ['admin'] } };
  expect(toExample(schema, schemas)).toEqual({ name: '…', owner: { admin: true } });
});
