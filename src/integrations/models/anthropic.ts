import { createAnthropic } from '@ai-sdk/anthropic';
import { type AdapterOf, namesInData } from './adapter.ts';

const publicAddress = 'https://api.anthropic.com/v1';

export const anthropic: AdapterOf<'anthropic'> = {
  // Each turn repeats the conversation before it: read from the cache, that costs a tenth.
  options: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  address: ({ baseUrl = publicAddress }) => baseUrl,
  open: ({ baseUrl = publicAddress, apiKey = '' }, model, fetch) =>
    createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model),
  listing: async ({ baseUrl = publicAddress, apiKey = '' }) => ({
    request: new Request(`${baseUrl.replace(/\/+$/, '')}/models?limit=1000`, {
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    }),
    read: namesInData,
  }),
};
