import { createAnthropic } from '@ai-sdk/anthropic';
import { type AdapterFor, parseModelIds } from './adapter.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

const defaultBaseUrl = 'https://api.anthropic.com/v1';

export const anthropic: AdapterFor<'anthropic'> = {
  // Each turn repeats the conversation, which costs a tenth when it is read from the cache.
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  getEndpoint: ({ baseUrl = defaultBaseUrl }) => baseUrl,
  openModel: ({ baseUrl = defaultBaseUrl, apiKey = '' }, model, fetch) =>
    createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model),
  buildListRequest: async ({ baseUrl = defaultBaseUrl, apiKey = '' }) => ({
    request: new Request(`${trimSlashes(baseUrl)}/models?limit=1000`, {
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    }),
    parse: parseModelIds,
  }),
};
