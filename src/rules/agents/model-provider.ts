import { z } from 'zod';

const model = z.string().trim().min(1).max(200);
const secret = z.string().trim().min(1).max(4000).optional();
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .max(500)
  .refine(isBareUrl, 'must not have a user, query or fragment')
  .refine(isNotMetadataAddress, 'must not be a cloud metadata address');

/** The model provider of an org. A request may leave out the secrets, in which case the stored ones are kept. */
export const ModelProvider = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('anthropic'), model, baseUrl: baseUrl.optional(), apiKey: secret }),
  z.strictObject({ kind: z.literal('openai'), model, baseUrl: baseUrl.optional(), apiKey: secret }),
  z.strictObject({ kind: z.literal('google'), model, baseUrl: baseUrl.optional(), apiKey: secret }),
  z.strictObject({
    kind: z.literal('bedrock'),
    model,
    baseUrl: baseUrl.optional(),
    region: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1'),
    accessKeyId: secret,
    secretAccessKey: secret,
  }),
  z.strictObject({ kind: z.literal('openai-compatible'), model, baseUrl, apiKey: secret }),
]);
export type ModelProvider = z.infer<typeof ModelProvider>;
export type ProviderKind = ModelProvider['kind'];
export const providerKinds = ModelProvider.options.map(({ shape }) => shape.kind.value);

const secretFields = ['apiKey', 'accessKeyId', 'secretAccessKey'] as const;
export type SecretField = (typeof secretFields)[number];

/** Lists the secrets of a provider. They are required for every kind except `openai-compatible`. */
export function listProviderSecrets(provider: ModelProvider): { field: SecretField; value: string | undefined }[] {
  if (provider.kind !== 'bedrock') return [{ field: 'apiKey', value: provider.apiKey }];
  return [
    { field: 'accessKeyId', value: provider.accessKeyId },
    { field: 'secretAccessKey', value: provider.secretAccessKey },
  ];
}

export const listMissingSecrets = (provider: ModelProvider): SecretField[] =>
  provider.kind === 'openai-compatible'
    ? []
    : listProviderSecrets(provider).flatMap(({ field, value }) => (value === undefined ? [field] : []));

/** A stored key may only be reused for the same endpoint; otherwise a caller could send it to a server of their own. */
export const hasSameEndpoint = (one: ModelProvider, other: ModelProvider): boolean =>
  one.kind === other.kind && one.baseUrl === other.baseUrl;

function isBareUrl(url: string): boolean {
  const { username, password, search, hash } = new URL(url);
  return username === '' && password === '' && search === '' && hash === '';
}

/** Metadata services hand out the credentials of the machine. */
function isNotMetadataAddress(url: string): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '').toLowerCase();
  return !/^169\.254\.|^\[(fe80:|fd00:ec2:|::ffff:a9fe:)|^metadata(\.|$)|^instance-data(\.|$)/.test(host);
}
