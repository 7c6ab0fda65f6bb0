import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AdapterOf, namesInData } from './adapter.ts';

/** Any endpoint that speaks the chat completions protocol. */
export const openAiCompatible: AdapterOf<'openai-compatible'> = {
  address: ({ baseUrl }) => baseUrl,
  open: ({ baseUrl, apiKey }, model, fetch) =>
    createOpenAICompatible({
      name: 'model',
      baseURL: baseUrl,
      fetch,
      ...(apiKey !== undefined && { apiKey }),
    }).chatModel(model),
  listing: async ({ baseUrl, apiKey }) => {
    const headers = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
    return { request: new Request(`${baseUrl.replace(/\/+$/, '')}/models`, { headers }), read: namesInData };
  },
};
