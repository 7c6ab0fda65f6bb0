import { z } from 'zod';
import { toAudience } from '../../rules/cloud-accounts/identity-token.ts';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { RefusedByCloud, type SendToCloud, unreadable } from './cloud-request.ts';
import type { CloudEndpoints, CloudSignIn } from './clouds.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';

const FederatedToken = z.object({ access_token: z.string().min(1).max(16_000) });
const ServiceAccountToken = z.object({ accessToken: z.string().min(1), expireTime: z.string() });
/** Errors of OAuth, which the exchange has, and those of other Google APIs. */
const OAuthError = z.object({ error: z.string(), error_description: z.string().default('') });
const ApiError = z.object({ error: z.object({ status: z.string(), message: z.string() }) });

type Options = { send: SendToCloud; endpoints: Pick<CloudEndpoints, 'googleSts' | 'googleIam'> };

/** Exchanges the token for one of the pool, makes one of the service account with it, and returns the account's name. */
export async function checkGoogle(
  account: CloudAccountSpec,
  { token }: CloudSignIn,
  { send, endpoints }: Options,
): Promise<string> {
  const { serviceAccount = '' } = account;
  const call = async <T>(url: string, schema: z.ZodType<T>, request: { body: object; bearer?: string }): Promise<T> => {
    const headers = {
      'content-type': 'application/json',
      ...(request.bearer !== undefined && { authorization: `Bearer ${request.bearer}` }),
    };
    const { status, text } = await send(url, { method: 'POST', headers, body: JSON.stringify(request.body) });
    const body = parseJson(text);
    const parsed = schema.safeParse(body);
    if (status === 200 && parsed.success) return parsed.data;
    throw toRefusal(body) ?? unreadable(url, status);
  };
  const { access_token: federated } = await call(`${endpoints.googleSts}/v1/token`, FederatedToken, {
    body: {
      grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: toAudience(account).replace('https:', ''),
      scope,
      requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      subjectToken: token,
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    },
  });
  const name = encodeURIComponent(serviceAccount);
  const url = `${endpoints.googleIam}/v1/projects/-/serviceAccounts/${name}:generateAccessToken`;
  await call(url, ServiceAccountToken, { body: { scope: [scope], lifetime: '300s' }, bearer: federated });
  return serviceAccount;
}

function toRefusal(body: unknown): RefusedByCloud | undefined {
  const oauth = OAuthError.safeParse(body);
  if (oauth.success) return new RefusedByCloud(oauth.data.error, oauth.data.error_description);
  const api = ApiError.safeParse(body);
  return api.success ? new RefusedByCloud(api.data.error.status, api.data.error.message) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
