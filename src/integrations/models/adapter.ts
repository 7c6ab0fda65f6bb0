import type { generateText, LanguageModel } from 'ai';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';

export type Fetch = typeof globalThis.fetch;

/** The request that lists models, and the parser of its response. */
export type ModelListRequest = { request: Request; parse: (body: unknown) => string[] };

/** Connects to one kind of provider. Adapters must not read credentials from the environment. */
export type Adapter<Provider = ModelProvider> = {
  openModel(provider: Provider, model: string, fetch: Fetch): Exclude<LanguageModel, string>;
  /** Sent with every request. */
  readonly providerOptions?: NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;
  buildListRequest(provider: Provider): Promise<ModelListRequest>;
  /** Returns the endpoint for messages to a person. */
  getEndpoint(provider: Provider): string;
};

export type AdapterFor<Kind extends ProviderKind> = Adapter<Extract<ModelProvider, { kind: Kind }>>;

/** A redirect would send the key to another host. */
export const withoutRedirects =
  (fetch: Fetch): Fetch =>
  async (input, init) =>
    await fetch(input, { ...init, redirect: 'error' });

/** Parses `{data: [{id}]}`, the format of most providers. */
export function parseModelIds(body: unknown): string[] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw new TypeError('The response has no list "data".');
  return data.flatMap((entry: unknown) => {
    const id = (entry as { id?: unknown } | null)?.id;
    return typeof id === 'string' ? [id] : [];
  });
}
