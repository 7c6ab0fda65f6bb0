import type { generateText, LanguageModel } from 'ai';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';

export type Fetch = typeof globalThis.fetch;

/** What a list of models is asked with, and how its answer is read. */
export type Listing = { request: Request; read: (body: unknown) => string[] };

/** How the models of one kind of provider are reached; nothing of it is taken from the environment. */
export type Adapter<Provider = ModelProvider> = {
  open(provider: Provider, model: string, fetch: Fetch): Exclude<LanguageModel, string>;
  /** What to ask every question with. */
  readonly options?: NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;
  listing(provider: Provider): Promise<Listing>;
  /** Where the provider is, as far as a person needs to know. */
  address(provider: Provider): string;
};

export type AdapterOf<Kind extends ProviderKind> = Adapter<Extract<ModelProvider, { kind: Kind }>>;

/** A redirect would carry the key to wherever it leads. */
export const withoutRedirects =
  (fetch: Fetch): Fetch =>
  async (input, init) =>
    await fetch(input, { ...init, redirect: 'error' });

/** The names in `{data: [{id}]}`, as most providers list them. */
export function namesInData(body: unknown): string[] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw new TypeError('The answer has no list "data".');
  return data.flatMap((entry: unknown) => {
    const id = (entry as { id?: unknown } | null)?.id;
    return typeof id === 'string' ? [id] : [];
  });
}
