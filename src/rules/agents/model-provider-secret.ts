import { type Secret, toSecretData, readSecretText } from '../../kinds/kubernetes.ts';
import type { ModelProvider } from './model-provider.ts';

/** The Secret in the org's namespace that holds the provider and its credentials. */
export const modelProviderSecretName = 'model-provider';

/** The key of each field in the Secret. */
const secretKeys = {
  kind: 'kind',
  model: 'model',
  baseUrl: 'base-url',
  region: 'region',
  apiKey: 'api-key',
  accessKeyId: 'access-key-id',
  secretAccessKey: 'secret-access-key',
} as const;

export function toProviderSecretData(provider: ModelProvider): Record<string, string> {
  const values: Partial<Record<keyof typeof secretKeys, string | undefined>> = provider;
  const texts = Object.entries(secretKeys).flatMap(([field, key]) => {
    const value = values[field as keyof typeof secretKeys];
    return value === undefined ? [] : [[key, value] as const];
  });
  return toSecretData(Object.fromEntries(texts));
}

/** Reads the fields without validation: people can also write the Secret with kubectl. */
export function toProviderFields(secret: Pick<Secret, 'data'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secretKeys).flatMap(([field, key]) => {
      const value = readSecretText(secret, key);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
