import { expect, it } from 'vitest';
import { toConstraintText, toTypeText, type Schema } from '../../../api/reference/schema-text.ts';

const schema: Schema = {
  properties: { name: { type: 'string' }, size: { enum: ['s', 'm'] }, owner: { $ref: '#/components/schemas/User' } },
  required: ['name', 'owner'],
};

it('formats a schema like a type', () => {
  expect(toTypeText(schema)).toBe('{\n  name: string\n  size?: "s" | "m"\n  owner: @User\n}');
});

it('formats limits, patterns and defaults', () => {
  expect(toConstraintText({ type: 'string', minLength: 1, maxLength: 40, pattern: '^a' })).toBe(
    '1 to 40 characters, matches ^a',
  );
  expect(toConstraintText({ type: 'integer', maximum: 500, default: 50 })).toBe('at most 500, default 50');
  expect(toConstraintText({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER })).toBe('');
});
