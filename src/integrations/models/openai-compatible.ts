import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AdapterFor, parseModelIds } from './adapter.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

/** Supports any endpoint with the chat completions protocol. */
export const openAiCompatible: AdapterFor<'openai-compatible'> = {
  getEndpoint: ({ baseUrl }) => baseUrl,
  openModel: ({ baseUrl, apiKey }, model, fetch) =>
    createOpenAICompatible({
      name: 'model',
      baseURL: baseUrl,
      fetch,
      ...(apiKey !== undefined && { apiKey }),
    }).chatModel(model),
  buildListRequest: async ({ baseUrl, apiKey }) => {
    const headers = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
    return { request: new Request(`${trimSlashes(baseUrl)}/models`, { headers }), parse: parseModelIds };
  },
};
