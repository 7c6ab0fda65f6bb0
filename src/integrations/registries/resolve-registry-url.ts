import { parseAuthChallenges, type AuthChallenge } from './auth-challenge.ts';
import { assertAvailable, settingError, toConnectionError } from './registry-error.ts';

export type FoundRegistry = { baseUrl: string; challenge: AuthChallenge };

/**
 * Asks a host for the API of registries, without credentials. A registry without TLS is asked in plain text only if the
 * operator allows its host inside the network, which the dispatcher decides.
 */
export async function resolveRegistryUrl(request: typeof fetch, host: string): Promise<FoundRegistry> {
  const { baseUrl, response } = await ping(request, host);
  assertAvailable(response, host);
  const { status, headers } = response;
  if (status >= 300 && status < 400)
    throw settingError(
      '/host',
      `The host ${host} redirects to another address (${status}). Name the registry itself.`,
      'redirects to another address',
    );
  if (status === 200)
    throw settingError(
      '/host',
      `The host ${host} asks for no credentials, so it needs none.`,
      'asks for no credentials',
    );
  const challenges = status === 401 ? parseAuthChallenges(headers.get('www-authenticate') ?? '') : [];
  const challenge = challenges.find(({ scheme }) => scheme === 'bearer') ?? challenges[0];
  if (challenge) return { baseUrl, challenge };
  throw settingError(
    '/host',
    `The host ${host} is not a registry: it does not answer GET /v2/ as the distribution API does (${status}).`,
    'is not a registry',
  );
}

async function ping(request: typeof fetch, host: string): Promise<{ baseUrl: string; response: Response }> {
  const baseUrl = `https://${host}`;
  try {
    return { baseUrl, response: await request(`${baseUrl}/v2/`) };
  } catch (error) {
    const plainUrl = `http://${host}`;
    const response = await request(`${plainUrl}/v2/`).catch(() => undefined);
    if (response) return { baseUrl: plainUrl, response };
    throw toConnectionError(error, `The registry ${host}`);
  }
}
