import { createGoogle } from '@ai-sdk/google';
import type { AdapterFor } from './adapter.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com/v1beta';

type ListedModel = { name?: unknown; supportedGenerationMethods?: unknown };

export const google: AdapterFor<'google'> = {
  getEndpoint: ({ baseUrl = defaultBaseUrl }) => baseUrl,
  openModel: ({ baseUrl = defaultBaseUrl, apiKey = '' }, model, fetch) =>
    createGoogle({ baseURL: baseUrl, apiKey, fetch })(model),
  buildListRequest: async ({ baseUrl = defaultBaseUrl, apiKey = '' }) => ({
    request: new Request(`${trimSlashes(baseUrl)}/models?pageSize=1000`, {
      headers: { 'x-goog-api-key': apiKey },
    }),
    parse: (body) => ((body as { models: ListedModel[] }).models ?? []).flatMap(toModelIds),
  }),
};

/** Keeps only the models that generate text. */
function toModelIds({ name, supportedGenerationMethods: methods }: ListedModel): string[] {
  if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [name.replace(/^models\//, '')];
}
