import { z } from 'zod';
import { trimmedText } from '../names.ts';

const model = trimmedText(200).describe('Default model of the org’s agents.');
/** Another character could be in no header of a request, whose error would not name the key. */
const secret = z
  .string()
  .trim()
  .max(4000)
  .regex(/^ *[\x21-\x7e][\x20-\x7e]*$/, 'must be printable ASCII')
  .optional();
const apiKey = secret.describe('API key. It is stored as a secret and never returned.');
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .max(500)
  .refine(isBareUrl, 'must not have a user, query or fragment')
  .refine(isNotMetadataAddress, 'must not be a cloud metadata address')
  .describe('URL of the provider’s API.');
const optionalBaseUrl = baseUrl.optional().describe('URL of the provider’s API; defaults to the provider’s own.');
const kind = <Kind extends string>(name: Kind, description: string) => z.literal(name).describe(description);

/** The model provider of an org. A request may leave out the secrets, in which case the stored ones are kept. */
export const ModelProvider = z.discriminatedUnion('kind', [
  z.strictObject({ kind: kind('anthropic', 'Anthropic API.'), model, baseUrl: optionalBaseUrl, apiKey }),
  z.strictObject({ kind: kind('openai', 'OpenAI API.'), model, baseUrl: optionalBaseUrl, apiKey }),
  z.strictObject({ kind: kind('google', 'Google Gemini API.'), model, baseUrl: optionalBaseUrl, apiKey }),
  z.strictObject({
    kind: kind('bedrock', 'Amazon Bedrock.'),
    model,
    baseUrl: optionalBaseUrl,
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1')
      .describe('AWS region.'),
    accessKeyId: secret.describe('AWS access key id. It is never returned.'),
    secretAccessKey: secret.describe('AWS secret access key. It is stored as a secret and never returned.'),
  }),
  z.strictObject({
    kind: kind('openai-compatible', 'Any API that is compatible with OpenAI’s.'),
    model,
    baseUrl,
    apiKey,
  }),
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
