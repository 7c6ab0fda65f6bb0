import { expect, it } from 'vitest';
import type { ModelProvider } from '../../../src/rules/agents/model-provider.ts';
import { toProviderFields, toProviderSecretData } from '../../../src/rules/agents/model-provider-secret.ts';

const provider: ModelProvider = {
  kind: 'bedrock',
  model: 'm',
  baseUrl: 'https://models.example',
  region: 'eu-central-1',
  accessKeyId: 'id',
  secretAccessKey: 'key',
};

it('returns the same fields after a round trip through the Secret', () => {
  expect(toProviderFields({ data: toProviderSecretData(provider) })).toEqual(provider);
});

it('stores each field as base64 under a key of its own, and leaves out missing fields', () => {
  const data = toProviderSecretData({ kind: 'openai', model: 'm', apiKey: 'secret' });
  expect(Object.keys(data).toSorted()).toEqual(['api-key', 'kind', 'model']);
  expect(Buffer.from(data['api-key'] ?? '', 'base64').toString()).toBe('secret');
});

it('returns no field for a Secret without data', () => {
  expect(toProviderFields({})).toEqual({});
});
