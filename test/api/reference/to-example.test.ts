import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../api/reference/schema-text.ts';
import { toExample } from '../../../api/reference/to-example.ts';

const text: Schema = { type: 'string' };
const time = '2026-12-01T09:30:00Z';

describe('the example of a value', () => {
  it.each<[string, Schema, unknown]>([
    ['org', { ...text, example: 'own' }, 'own'],
    ['org', { const: 'v1' }, 'v1'],
    ['org', text, 'acme'],
    ['role', { ...text, enum: ['viewer', 'member'] }, 'member'],
    ['role', { ...text, enum: ['low', 'high'] }, 'low'],
    ['mode', { ...text, default: 'none' }, 'none'],
    ['repos', { type: 'array', items: text }, ['acme/hello']],
    ['domains', { type: 'array', items: text }, ['shop.example.com']],
    ['classes', { type: 'array', items: text }, ['class']],
    ['statuses', { type: 'array', items: text }, ['status']],
    ['windows', { type: 'array', items: text }, ['window']],
    ['repos', text, 'repos'],
    ['org', { type: 'integer' }, 1],
    ['generation', { type: 'number' }, 3],
    ['generation', { type: 'integer' }, 3],
    ['generation', text, 'generation'],
    ['contact', { ...text, format: 'email' }, 'ada@example.com'],
    ['size', { type: 'integer', minimum: 2 }, 2],
    ['size', { type: 'integer', minimum: 0 }, 1],
    ['size', { type: ['integer', 'null'] }, 1],
    ['isOpen', { type: 'boolean' }, true],
    ['finishedAt', text, time],
    ['since', text, time],
    ['attic', text, 'attic'],
    ['choice', { anyOf: [{ const: 'first' }, text] }, 'first'],
    ['choice', { oneOf: [{ const: 'first' }, text] }, 'first'],
    ['whole', { allOf: [{ properties: { org: text }, required: ['org'] }, { properties: {} }] }, { org: 'acme' }],
  ])('%s: %j is fit for the name and the type', (name, schema, example) => {
    expect(toExample(schema, { schemas: {}, name })).toEqual(example);
  });

  it('is empty for a text without a name', () => {
    expect(toExample(text, { schemas: {} })).toBe('');
    expect(toExample({ type: 'array', items: text }, { schemas: {} })).toEqual(['']);
  });
});

describe('the example of an object', () => {
  const properties = { title: text, resourceVersion: text, token: text };

  it('has the required properties, and the optional ones that have an example in their component', () => {
    const schema: Schema = { properties, required: ['title'] };
    const title = 'Greet visitors by name';
    expect(toExample(schema, { schemas: {} })).toEqual({ title });
    expect(toExample(schema, { schemas: {}, owner: 'Body' })).toEqual({ title, resourceVersion: '4711' });
    expect(toExample({ properties }, { schemas: {} })).toEqual({});
  });

  it('is that of the component that it refers to', () => {
    const schemas = { MintedApiToken: { properties, required: ['title'] } };
    const schema: Schema = { $ref: '#/components/schemas/MintedApiToken' };
    expect(toExample(schema, { schemas, name: 'minted' })).toEqual({
      title: 'Greet visitors by name',
      token: expect.stringMatching(/^svc_/),
    });
    expect(toExample({ $ref: '#/components/schemas/Unknown' }, { schemas, name: 'minted' })).toBe('minted');
  });
});
