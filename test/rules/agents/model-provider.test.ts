import { describe, expect, it } from 'vitest';
import {
  hasSameEndpoint,
  listMissingSecrets,
  listProviderSecrets,
  ModelProvider,
} from '../../../src/rules/agents/model-provider.ts';

const anthropic: ModelProvider = { kind: 'anthropic', model: 'm', apiKey: 'key' };
const bedrock: ModelProvider = { kind: 'bedrock', model: 'm', region: 'eu-central-1', accessKeyId: 'id' };
const compatible: ModelProvider = { kind: 'openai-compatible', model: 'm', baseUrl: 'http://models.example/v1' };

describe('the base URL of a provider', () => {
  it.each(['https://models.example', 'http://10.0.0.5:8000/v1'])('may be %s', (baseUrl) => {
    expect(ModelProvider.safeParse({ ...compatible, baseUrl }).success).toBe(true);
  });

  it.each([
    '',
    'not a url',
    'http://',
    'ftp://models.example',
    'https://user:pass@models.example',
    'https://models.example/?key=x',
    'http://169.254.169.254/latest',
    'http://metadata.google.internal',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
  ])('must not be %s', (baseUrl) => {
    expect(ModelProvider.safeParse({ ...compatible, baseUrl }).success).toBe(false);
  });
});

it('lists the secrets of each kind of provider', () => {
  expect(listProviderSecrets(anthropic)).toEqual([{ field: 'apiKey', value: 'key' }]);
  expect(listProviderSecrets(bedrock).map(({ field }) => field)).toEqual(['accessKeyId', 'secretAccessKey']);
});

it('lists missing secrets, which only a compatible endpoint may leave out', () => {
  expect(listMissingSecrets(anthropic)).toEqual([]);
  expect(listMissingSecrets(bedrock)).toEqual(['secretAccessKey']);
  expect(listMissingSecrets(compatible)).toEqual([]);
});

it('treats another kind or another base URL as another endpoint', () => {
  expect(hasSameEndpoint(anthropic, { ...anthropic, model: 'other' })).toBe(true);
  expect(hasSameEndpoint(anthropic, { ...anthropic, kind: 'openai' })).toBe(false);
  expect(hasSameEndpoint(compatible, { ...compatible, baseUrl: 'http://evil.example' })).toBe(false);
});
