import { createOpenAI } from '@ai-sdk/openai';
import { type AdapterFor, parseModelIds } from './adapter.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

const defaultBaseUrl = 'https://api.openai.com/v1';

export const openAi: AdapterFor<'openai'> = {
  getEndpoint: ({ baseUrl = defaultBaseUrl }) => baseUrl,
  // Chat completions store no state at the provider; the transcript holds the whole conversation.
  openModel: ({ baseUrl = defaultBaseUrl, apiKey = '' }, model, fetch) =>
    createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model),
  buildListRequest: async ({ baseUrl = defaultBaseUrl, apiKey = '' }) => ({
    request: new Request(`${trimSlashes(baseUrl)}/models`, { headers: { Authorization: `Bearer ${apiKey}` } }),
    parse: parseModelIds,
  }),
};
