import type { Schemas } from '../../../api/generated/openapi.ts';
import type { RequestOptions } from '../../../api/request.ts';

type Provider = Schemas['ModelProvider'];
type Body = NonNullable<RequestOptions<'put', '/v1/orgs/{org}/model-provider'>['body']>;

const secretNames = ['apiKey', 'accessKeyId', 'secretAccessKey'] as const;
/** The provider of an org as a person types it: an empty secret is one to keep. */
export type Draft = Record<'kind' | 'model' | 'baseUrl' | 'region' | (typeof secretNames)[number], string>;

export const toDraft = ({ kind = 'anthropic', model = '', baseUrl = '', region = '' }: Provider): Draft => ({
  kind,
  model,
  baseUrl,
  region,
  apiKey: '',
  accessKeyId: '',
  secretAccessKey: '',
});

/** A comparison tells only that a secret was typed. */
export const toShown = (draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    Object.entries(draft)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, secretNames.some((secret) => secret === name) ? 'typed, not shown' : value]),
  );

/** Sends what the kind has; the API reuses stored secrets that are left out. */
export function toBody({ kind, model, baseUrl, region, ...secrets }: Draft): Body {
  const names = kind === 'bedrock' ? (['accessKeyId', 'secretAccessKey'] as const) : (['apiKey'] as const);
  const filled = names.filter((name) => secrets[name] !== '').map((name) => [name, secrets[name]]);
  return {
    kind,
    model,
    ...(baseUrl !== '' && { baseUrl }),
    ...(kind === 'bedrock' && { region }),
    ...Object.fromEntries(filled),
  } as Body;
}
