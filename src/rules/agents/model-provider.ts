import { z } from 'zod';

const model = z.string().trim().min(1).max(200);
const secret = z.string().trim().min(1).max(4000).optional();
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(500)
  .refine(isPlain, 'must hold no user, query or fragment')
  .refine(isNoMetadataAddress, 'is an address of the machine, not of a model provider');

/** Who answers an org's agents. The secrets are the only optional parts that may be left out when they are kept. */
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

/** The secrets a provider of that kind has; all but a compatible endpoint of one's own must have them. */
export function secretsOf(provider: ModelProvider): { field: SecretField; value: string | undefined }[] {
  if (provider.kind !== 'bedrock') return [{ field: 'apiKey', value: provider.apiKey }];
  return [
    { field: 'accessKeyId', value: provider.accessKeyId },
    { field: 'secretAccessKey', value: provider.secretAccessKey },
  ];
}

export const missingSecrets = (provider: ModelProvider): SecretField[] =>
  provider.kind === 'openai-compatible'
    ? []
    : secretsOf(provider).flatMap(({ field, value }) => (value === undefined ? [field] : []));

/** Where a key that is kept may go on being used: sent elsewhere it would be given away. */
export const sameAudience = (one: ModelProvider, other: ModelProvider): boolean =>
  one.kind === other.kind && one.baseUrl === other.baseUrl;

function isPlain(url: string): boolean {
  const { username, password, search, hash } = new URL(url);
  return username === '' && password === '' && search === '' && hash === '';
}

/** Cloud machines give away their own credentials there. */
function isNoMetadataAddress(url: string): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '').toLowerCase();
  return !/^169\.254\.|^\[(fe80:|fd00:ec2:|::ffff:a9fe:)|^metadata(\.|$)|^instance-data(\.|$)/.test(host);
}
