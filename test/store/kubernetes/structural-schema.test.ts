import { expect, it } from 'vitest';
import { toStructuralSchema } from '../../../src/store/kubernetes/structural-schema.ts';

it('removes keywords that the API server rejects', () => {
  expect(
    toStructuralSchema({
      type: 'object',
      propertyNames: { pattern: '^a' },
      properties: {
        count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        name: { type: 'string', pattern: '^(?!x)[a-z]+$' },
        at: { type: 'string', format: 'date-time', pattern: '^\\d' },
        kind: { type: 'string', const: 'a' },
      },
    }),
  ).toEqual({
    type: 'object',
    properties: {
      count: { type: 'integer', format: 'int64', minimum: 1 },
      name: { type: 'string', pattern: '^[a-z]+$' },
      at: { type: 'string', format: 'date-time' },
      kind: { type: 'string', enum: ['a'] },
    },
  });
});

it('merges a union into one object with validation rules', () => {
  const tag = (value: string) => ({ type: 'string', const: value });
  const schema = toStructuralSchema({
    oneOf: [
      { type: 'object', properties: { type: tag('agent'), role: { type: 'string' } }, required: ['type', 'role'] },
      { type: 'object', properties: { type: tag('human') }, required: ['type'] },
    ],
  });
  expect(schema.properties?.['type']).toEqual({ type: 'string', enum: ['agent', 'human'] });
  expect(schema.required).toEqual(['type']);
  expect(schema['x-kubernetes-validations']).toEqual([
    { rule: "self.type != 'agent' || (has(self.role))", message: 'type "agent" needs role' },
    { rule: "self.type != 'human' || (!(has(self.role)))", message: 'type "human" has no role' },
  ]);
});

it('throws for a union without a discriminating property', () => {
  expect(() => toStructuralSchema({ oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] })).toThrow(
    'one property discriminates',
  );
});
