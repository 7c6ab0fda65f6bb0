import type { Person } from '../../../src/emulators/codehost/people.ts';
import { startTestCodehost } from '../../emulators/codehost/codehost-fixture.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { startApiForSignIn, toCallbackUrl, toCookies } from './sign-in-fixture.ts';

export const password = 'any password';
export const primary = (email: string, verified = true) => ({ email, primary: true, verified });

export const grace: Person = {
  login: 'grace',
  password,
  emails: [{ email: 'old@example.com', primary: false, verified: true }, primary('grace@example.com')],
  teams: ['Acme/developers', 'other/developers'],
};

type Credentials = { clientId: string; clientSecret: string };
type Options = { now?: () => Date; spec?: object };

/** Starts an API without a provider, and a code host where Grace has an account and "Delivery" is an OAuth app. */
export async function startWithoutProvider({ now, spec = {} }: Options = {}) {
  const codehost = await startTestCodehost();
  codehost.savePerson(grace);
  const issuer = codehost.url.replace('localhost', '127.0.0.1');
  const app = codehost.registerOAuthApp({ name: 'Delivery', callbackUrl: toCallbackUrl('codehost') });
  const api = await startApiForSignIn(now ? { now } : {});
  const toBody = ({ clientId, clientSecret }: Credentials = app, changes: object = {}) => ({
    name: 'codehost',
    spec: { type: 'github', label: 'Code host', issuer, clientId, ...spec, ...changes },
    clientSecret,
  });
  const create = async (body: object) => await api.asAdmin('/v1/identity-providers', { method: 'POST', body });
  /** Signs a person in on the page of the code host, and returns the URL that it redirects the browser to. */
  const authorize = async (url: string, login = 'grace') =>
    await signInAtProvider(url, { fields: { login, password }, callback: toCallbackUrl('codehost') });
  const signIn = async (login = 'grace', to?: string) => {
    const { url, cookies } = await api.start('codehost', to);
    return await api.finish(await authorize(url, login), cookies);
  };
  const readMe = async (signedIn: Response) => {
    const response = await api.requestWith('/v1/me', toCookies(signedIn));
    return response.status === 200 ? ((await response.json()) as Record<string, unknown>) : response.status;
  };
  return { ...api, codehost, issuer, app, create, toBody, authorize, signIn, readMe };
}

/** Starts an API whose provider "codehost" is the code host. */
export async function startWithGithub(options: Options = {}) {
  const world = await startWithoutProvider(options);
  const response = await world.create(world.toBody());
  if (response.status !== 201) throw new Error(await response.text());
  return world;
}
