import { expect } from 'vitest';
import type { ApiDeps } from '../../../api/deps.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { type Account, openIdClient, startOpenIdProvider } from '../../support/servers/openid-provider.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { startApi } from '../../support/start-api.ts';

export const admin = { email: 'admin@example.com', password: 'a long enough password' };
export const publicUrl = 'http://localhost:8080';
export const toCallbackUrl = (name: string): string => `${publicUrl}/api/v1/auth/providers/${name}/callback`;

export const ada: Account = { email: 'ada@example.com', email_verified: true, groups: ['developers'] };

type Options = {
  now?: () => Date;
  config?: Partial<ApiDeps['config']>;
  log?: ApiDeps['log'];
  store?: ApiDeps['store'];
};

/** Starts an API with a platform admin who has signed in with a password, and without an identity provider. */
export async function startApiForSignIn(options: Options = {}) {
  const api = await startApi({ ...options, judged: createTestDispatcher('127.0.0.1') });
  await api.request('/v1/access/users', { method: 'POST', via: 'session', body: admin });
  await makePlatformAdmin(api.store, admin.email);
  const signedIn = await api.request('/v1/auth/sign-in', { method: 'POST', body: admin, role: 'anonymous' });
  const adminCookie = toCookies(signedIn);
  const asAdmin = async (
    path: string,
    init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => await api.request(path, { ...init, role: 'anonymous', headers: { Cookie: adminCookie, ...init.headers } });
  const addProvider = async (name: string, issuer: string, spec: object = {}) => {
    const body = {
      name,
      spec: { label: `Provider ${name}`, issuer, clientId: openIdClient.clientId, ...spec },
      clientSecret: openIdClient.clientSecret,
    };
    const response = await asAdmin('/v1/identity-providers', { method: 'POST', body });
    expect(response.status, await response.clone().text()).toBe(201);
    return (await response.json()) as { resourceVersion: string; redirectUri: string };
  };
  return { ...api, asAdmin, addProvider, ...createBrowser(api) };
}

/** The cookies that a response sets, as a browser sends them. */
export const toCookies = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

type Api = Awaited<ReturnType<typeof startApi>>;

function createBrowser(api: Api) {
  /** Starts to sign in, and returns the URL of the provider and the cookies of the browser. */
  const start = async (name: string, to?: string) => {
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
    const response = await api.request(`/v1/auth/providers/${name}/start${query}`, { role: 'anonymous' });
    return { response, url: response.headers.get('Location') ?? '', cookies: toCookies(response) };
  };
  const finish = async (callbackUrl: string, cookies: string, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(callbackUrl);
    return await api.request(`${pathname}${search}`, { role: 'anonymous', headers: { Cookie: cookies, ...headers } });
  };
  /** Signs a person in on the pages of the provider, and returns the response of the service. */
  const signIn = async (name: string, login: string, to?: string) => {
    const { url, cookies } = await start(name, to);
    const callbackUrl = await signInAtProvider(url, { fields: toFields(login), callback: toCallbackUrl(name) });
    return await finish(callbackUrl, cookies);
  };
  const request = async (path: string, cookies: string) =>
    await api.request(path, { role: 'anonymous', headers: { Cookie: cookies } });
  return { start, finish, signIn, requestWith: request };
}

/** The fields of the sign-in forms of both providers. */
export const toFields = (login: string): Record<string, string> => ({ login, password: 'any password' });

/** Starts an API with the identity provider "sso", where Ada has an account. */
export async function startWithProvider(options: Options & { spec?: object } = {}) {
  const provider = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')], accounts: { ada: { ...ada } } });
  const api = await startApiForSignIn(options);
  await api.addProvider('sso', provider.issuer, options.spec);
  return { ...api, provider };
}
