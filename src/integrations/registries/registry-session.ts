import { z } from 'zod';
import type { RegistrySettings } from '../../rules/registries/registry.ts';
import type { AuthChallenge } from './auth-challenge.ts';
import type { FoundRegistry } from './resolve-registry-url.ts';
import { assertAvailable, settingError, toConnectionError } from './registry-error.ts';

/** Sends requests to one registry with the credentials that it has accepted. */
export type RegistrySession = { send(method: string, path: string): Promise<Response> };

type SessionOptions = FoundRegistry & { settings: RegistrySettings; repository: string | undefined };

/** Signs in as the registry asks: with the password itself, or with a token that its token server gives for it. */
export async function openRegistrySession(
  request: typeof fetch,
  { baseUrl, challenge, settings, repository }: SessionOptions,
): Promise<RegistrySession> {
  const { host } = settings;
  const authorization =
    challenge.scheme === 'bearer'
      ? `Bearer ${await requestToken(request, { challenge, settings, repository })}`
      : toBasic(settings);
  const send = async (method: string, path: string): Promise<Response> => {
    const url = new URL(path, baseUrl);
    // Only the registry itself may get the credentials, wherever its answers lead.
    if (url.origin !== new URL(baseUrl).origin)
      throw settingError('/host', `The registry ${host} leads to another host.`);
    const response = await request(url, { method, headers: { authorization } }).catch((error: unknown) => {
      throw toConnectionError(error, `The registry ${host}`);
    });
    assertAvailable(response, host);
    return response;
  };
  const { status } = await send('GET', '/v2/');
  if (status === 401 || status === 403) throw rejectedError(settings, status);
  if (status !== 200)
    throw settingError('/host', `The host ${host} is not a registry (${status}).`, 'is not a registry');
  return { send };
}

const TokenResponse = z
  .object({ token: z.string().optional(), access_token: z.string().optional() })
  .transform(({ token, access_token: accessToken }) => token ?? accessToken)
  .pipe(
    z
      .string()
      .min(1)
      .max(64_000)
      .regex(/^[\x21-\x7e]+$/),
  );

/** Asks for a token that can pull and push; the token server gives less if the account may do less. */
async function requestToken(
  request: typeof fetch,
  {
    challenge,
    settings,
    repository,
  }: { challenge: AuthChallenge; settings: RegistrySettings; repository: string | undefined },
): Promise<string> {
  const { host } = settings;
  const what = `The token server of ${host}`;
  const { realm = '', service } = challenge.parameters;
  const url = URL.parse(realm);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw settingError('/host', `The registry ${host} names no token server.`);
  if (service !== undefined) url.searchParams.set('service', service);
  if (repository !== undefined) url.searchParams.set('scope', `repository:${repository}:pull,push`);
  const response = await request(url, { headers: { authorization: toBasic(settings) } }).catch((error: unknown) => {
    throw toConnectionError(error, what);
  });
  assertAvailable(response, host);
  const { status } = response;
  if (status === 401 || status === 403) throw rejectedError(settings, status);
  const token = TokenResponse.safeParse(status === 200 ? await response.json().catch(() => undefined) : undefined);
  if (token.success) return token.data;
  throw settingError('/host', `${what} returned no token (${status}).`, 'returned no token');
}

const toBasic = ({ username, password }: RegistrySettings): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const rejectedError = ({ host, username }: RegistrySettings, status: number) =>
  settingError(
    '/password',
    `The registry ${host} rejected the account "${username}" or its password (${status}). Check both.`,
    `was rejected by the registry (${status})`,
  );
