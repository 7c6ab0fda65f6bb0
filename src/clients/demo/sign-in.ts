import { randomBytes } from 'node:crypto';
import { type ApiClient, ApiProblem, createApiClient } from '../api-client.ts';
import type { DemoOptions } from './demo-options.ts';

/** Returns a client with the token of the root user, who is created on a new data directory. */
export async function signIn({ baseUrl, setupToken, state, terminal }: DemoOptions): Promise<ApiClient> {
  let token = state.values.token;
  const api = createApiClient(baseUrl, () => token);
  if (token !== undefined) return api;
  const email = 'root@example.com';
  const { rootUser } = await api.get<{ rootUser: boolean }>('/v1/setup');
  const password = state.values.password ?? randomBytes(18).toString('base64url');
  if (rootUser && state.values.password === undefined)
    throw new Error(
      'The data directory already has a root user. Pass an API token of that user in DEMO_TOKEN, or use another --data-dir.',
    );
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

async function createSession(baseUrl: string, credentials: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
    body: JSON.stringify(credentials),
  });
  if (!response.ok) throw new ApiProblem(response.status, `Sign-in returned ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
