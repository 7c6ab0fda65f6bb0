import { type Secret, secretData, secretText } from '../core-kinds.ts';
import type { ModelProvider } from './model-provider.ts';

/** The name of the secret-store entry in the org's namespace. */
export const modelProviderSecret = 'model-provider';

/** What each field is called in the entry. */
const keys = {
  kind: 'kind',
  model: 'model',
  baseUrl: 'base-url',
  region: 'region',
  apiKey: 'api-key',
  accessKeyId: 'access-key-id',
  secretAccessKey: 'secret-access-key',
} as const;

export function dataOfProvider(provider: ModelProvider): Record<string, string> {
  const values: Partial<Record<keyof typeof keys, string | undefined>> = provider;
  const texts = Object.entries(keys).flatMap(([field, key]) => {
    const value = values[field as keyof typeof keys];
    return value === undefined ? [] : [[key, value] as const];
  });
  return secretData(Object.fromEntries(texts));
}

/** The fields as they were written, by whatever hand: they are still to be checked. */
export function fieldsOfSecret(secret: Pick<Secret, 'data'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([field, key]) => {
      const value = secretText(secret, key);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
