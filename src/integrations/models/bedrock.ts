import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { AwsClient } from 'aws4fetch';
import type { AdapterFor } from './adapter.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

type ListedModel = { modelId?: unknown; outputModalities?: unknown };

export const bedrock: AdapterFor<'bedrock'> = {
  getEndpoint: ({ baseUrl, region }) => baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`,
  openModel: ({ baseUrl, region, accessKeyId = '', secretAccessKey = '' }, model, fetch) =>
    createAmazonBedrock({
      region,
      accessKeyId,
      secretAccessKey,
      // An empty key stops the library from using a key of the environment instead of the org's own.
      apiKey: '',
      fetch,
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
    })(model),
  buildListRequest: async ({ baseUrl, region, accessKeyId = '', secretAccessKey = '' }) => {
    const address = baseUrl === undefined ? `https://bedrock.${region}.amazonaws.com` : trimSlashes(baseUrl);
    const client = new AwsClient({ accessKeyId, secretAccessKey, service: 'bedrock', region });
    const request = await client.sign(`${address}/foundation-models`);
    return {
      request,
      parse: (body) => ((body as { modelSummaries?: ListedModel[] }).modelSummaries ?? []).flatMap(toModelIds),
    };
  },
};

function toModelIds({ modelId, outputModalities }: ListedModel): string[] {
  return typeof modelId !== 'string' || (Array.isArray(outputModalities) && !outputModalities.includes('TEXT'))
    ? []
    : [modelId];
}
