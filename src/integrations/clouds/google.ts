import { z } from 'zod';
import { toAudience } from '../../rules/cloud-accounts/identity-token.ts';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { parseJson, RefusedByCloud, type SendToCloud, unreadable } from './cloud-request.ts';
import type { CloudEndpoints, CloudSignIn } from './clouds.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';

const FederatedToken = z.object({ access_token: z.string().nonempty().max(16_000) });
const ServiceAccountToken = z.object({ accessToken: z.string().nonempty().max(16_000), expireTime: z.iso.datetime() });
type ServiceAccountToken = z.infer<typeof ServiceAccountToken>;
/** Errors of OAuth, which the exchange has, and those of other Google APIs. */
const OAuthError = z.object({ error: z.string(), error_description: z.string().default('') });
const ApiError = z.object({ error: z.object({ status: z.string(), message: z.string() }) });

export type GoogleOptions = { send: SendToCloud; endpoints: Pick<CloudEndpoints, 'googleSts' | 'googleIam'> };

/** Returns the name of the service account, after a token for it was made. */
export async function checkGoogle(
  account: CloudAccountSpec,
  signIn: CloudSignIn,
  options: GoogleOptions,
): Promise<string> {
  await createServiceAccountToken(account, signIn, { ...options, lifetimeSeconds: 300 });
  return account.serviceAccount ?? '';
}

/** Exchanges the token for one of the pool, and makes one of the service account with it. */
export async function createServiceAccountToken(
  account: CloudAccountSpec,
  { token }: CloudSignIn,
  { send, endpoints, lifetimeSeconds }: GoogleOptions & { lifetimeSeconds: number },
): Promise<ServiceAccountToken> {
  const { access_token: federated } = await callGoogle(send, `${endpoints.googleSts}/v1/token`, FederatedToken, {
    body: {
      grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: toAudience(account).replace('https:', ''),
      scope,
      requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      subjectToken: token,
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    },
  });
  const name = encodeURIComponent(account.serviceAccount ?? '');
  const url = `${endpoints.googleIam}/v1/projects/-/serviceAccounts/${name}:generateAccessToken`;
  const body = { scope: [scope], lifetime: `${lifetimeSeconds}s` };
  return await callGoogle(send, url, ServiceAccountToken, { body, bearer: federated });
}

/** Sends a request to a Google API: GET without a body, POST with one. */
export async function callGoogle<T>(
  send: SendToCloud,
  url: string,
  schema: z.ZodType<T>,
  { body, bearer }: { body?: object; bearer?: string },
): Promise<T> {
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  };
  const request = body ? { method: 'POST', body: JSON.stringify(body) } : { method: 'GET' };
  const { status, text } = await send(url, { ...request, headers });
  const response = parseJson(text);
  const parsed = schema.safeParse(response);
  if (status === 200 && parsed.success) return parsed.data;
  throw toRefusal(response) ?? unreadable(url, status);
}

function toRefusal(body: unknown): RefusedByCloud | undefined {
  const oauth = OAuthError.safeParse(body);
  if (oauth.success) return new RefusedByCloud(oauth.data.error, oauth.data.error_description);
  const api = ApiError.safeParse(body);
  return api.success ? new RefusedByCloud(api.data.error.status, api.data.error.message) : undefined;
}
