import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { AwsClient } from 'aws4fetch';
import type { AdapterOf } from './adapter.ts';

type ListedModel = { modelId?: unknown; outputModalities?: unknown };

export const bedrock: AdapterOf<'bedrock'> = {
  address: ({ baseUrl, region }) => baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`,
  open: ({ baseUrl, region, accessKeyId = '', secretAccessKey = '' }, model, fetch) =>
    createAmazonBedrock({
      region,
      accessKeyId,
      secretAccessKey,
      // An empty one keeps that of the environment away, which would go before the org's own.
      apiKey: '',
      fetch,
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
    })(model),
  listing: async ({ baseUrl, region, accessKeyId = '', secretAccessKey = '' }) => {
    const address = baseUrl?.replace(/\/+$/, '') ?? `https://bedrock.${region}.amazonaws.com`;
    const client = new AwsClient({ accessKeyId, secretAccessKey, service: 'bedrock', region });
    const request = await client.sign(`${address}/foundation-models`);
    return {
      request,
      read: (body) => ((body as { modelSummaries?: ListedModel[] }).modelSummaries ?? []).flatMap(nameOf),
    };
  },
};

function nameOf({ modelId, outputModalities: makes }: ListedModel): string[] {
  return typeof modelId !== 'string' || (Array.isArray(makes) && !makes.includes('TEXT')) ? [] : [modelId];
}
