import { randomBytes } from 'node:crypto';
import { type ApiClient, ApiProblem, createApiClient } from '../api-client.ts';
import type { DemoOptions } from './demo-options.ts';

type SignInOptions = Pick<DemoOptions, 'baseUrl' | 'setupToken' | 'state' | 'terminal'>;

const rootUserExists =
  'The data directory already has a root user. Pass an API token of that user in DEMO_TOKEN, or use another --data-dir.';

/**
 * Returns a client with the token of the root user, who is created on a new data directory. A token that is no longer
 * accepted, because it has expired, is replaced.
 */
export async function signIn({ baseUrl, setupToken, state, terminal }: SignInOptions): Promise<ApiClient> {
  let token = state.values.token;
  const api = createApiClient(baseUrl, () => token);
  if (token !== undefined && (await isAccepted(api))) return api;
  token = undefined;
  const email = 'root@example.com';
  const { rootUser } = await api.get<{ rootUser: boolean }>('/v1/setup');
  const password = state.values.password ?? randomBytes(18).toString('base64url');
  if (rootUser && state.values.password === undefined) throw new Error(rootUserExists);
  await state.save({ password });
  if (!rootUser)
    await api.post('/v1/setup/root-user', { email, password }, { 'x-service-setup-token': setupToken ?? '' });
  const cookie = await createSession(baseUrl, { email, password });
  const minted = await api.post<{ token: string }>(
    '/v1/me/tokens',
    { label: 'demo' },
    { cookie, origin: new URL(baseUrl).origin },
  );
  token = minted.token;
  await state.save({ token });
  terminal.printLine(`Signed in as ${email} (the password is in ${state.file}).`);
  return api;
}

async function isAccepted(api: ApiClient): Promise<boolean> {
  try {
    await api.get('/v1/me');
    return true;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return false;
    throw error;
  }
}

async function createSession(baseUrl: string, credentials: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
    body: JSON.stringify(credentials),
  });
  if (response.status === 401) throw new Error(rootUserExists);
  if (!response.ok) throw new ApiProblem(response.status, `Sign-in returned ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
