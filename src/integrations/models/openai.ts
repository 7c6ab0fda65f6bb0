import { createOpenAI } from '@ai-sdk/openai';
import { type AdapterOf, namesInData } from './adapter.ts';

const publicAddress = 'https://api.openai.com/v1';

export const openAi: AdapterOf<'openai'> = {
  address: ({ baseUrl = publicAddress }) => baseUrl,
  // Chat completions keep nothing at the provider: the transcript is ours, whole.
  open: ({ baseUrl = publicAddress, apiKey = '' }, model, fetch) =>
    createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model),
  listing: async ({ baseUrl = publicAddress, apiKey = '' }) => ({
    request: new Request(`${baseUrl.replace(/\/+$/, '')}/models`, { headers: { Authorization: `Bearer ${apiKey}` } }),
    read: namesInData,
  }),
};
