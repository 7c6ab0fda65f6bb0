import type { Secret } from '../core-kinds.ts';
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
  return Object.fromEntries(
    Object.entries(keys).flatMap(([field, key]) => {
      const value = values[field as keyof typeof keys];
      return value === undefined ? [] : [[key, Buffer.from(value).toString('base64')]];
    }),
  );
}

/** The fields as they were written, by whatever hand: they are still to be checked. */
export function fieldsOfSecret({ data }: Pick<Secret, 'data'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([field, key]) => {
      const value = data?.[key];
      return value === undefined ? [] : [[field, Buffer.from(value, 'base64').toString('utf8')]];
    }),
  );
}
