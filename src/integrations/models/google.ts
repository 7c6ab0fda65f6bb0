import { createGoogle } from '@ai-sdk/google';
import type { AdapterOf } from './adapter.ts';

const publicAddress = 'https://generativelanguage.googleapis.com/v1beta';

type ListedModel = { name?: unknown; supportedGenerationMethods?: unknown };

export const google: AdapterOf<'google'> = {
  address: ({ baseUrl = publicAddress }) => baseUrl,
  open: ({ baseUrl = publicAddress, apiKey = '' }, model, fetch) =>
    createGoogle({ baseURL: baseUrl, apiKey, fetch })(model),
  listing: async ({ baseUrl = publicAddress, apiKey = '' }) => ({
    request: new Request(`${baseUrl.replace(/\/+$/, '')}/models?pageSize=1000`, {
      headers: { 'x-goog-api-key': apiKey },
    }),
    read: (body) => ((body as { models: ListedModel[] }).models ?? []).flatMap(namesOf),
  }),
};

/** It lists models of every sort; only those that write text are of use here. */
function namesOf({ name, supportedGenerationMethods: methods }: ListedModel): string[] {
  if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [name.replace(/^models\//, '')];
}
