import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/emulators/codehost/people.ts';
import { startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { startApiForSignIn, toCallbackUrl, toCookies } from './sign-in-fixture.ts';

export const password = 'any password';
export const verified = (email: string) => ({ email, primary: true, verified: true });

export const grace: Person = {
  login: 'grace',
  password,
  emails: [{ email: 'old@example.com', primary: false, verified: true }, verified('grace@example.com')],
  teams: ['Acme/developers', 'other/developers'],
};

/** Starts an API with the provider "codehost", which is an OAuth app of an emulated code host where Grace has an account. */
export async function startWithGithub({ now, spec = {} }: { now?: () => Date; spec?: object } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'codehost-'));
  const codehost = await startCodehost({ dataDir, port: 0 });
  onTestFinished(async () => {
    await codehost.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  codehost.savePerson(grace);
  const issuer = codehost.url.replace('localhost', '127.0.0.1');
  const app = codehost.registerOAuthApp({ name: 'Delivery', callbackUrl: toCallbackUrl('codehost') });
  const api = await startApiForSignIn(now ? { now } : {});
  const toBody = (name: string, credentials = app, changes: object = spec) => ({
    name,
    spec: { type: 'github', label: 'Code host', issuer, clientId: credentials.clientId, ...changes },
    clientSecret: credentials.clientSecret,
  });
  const create = async (body: object) => await api.asAdmin('/v1/identity-providers', { method: 'POST', body });
  const created = await create(toBody('codehost'));
  /** Signs a person in on the page of the code host, and returns the URL that it redirects the browser to. */
  const authorize = async (url: string, login = 'grace') =>
    await signInAtProvider(url, { fields: { login, password }, callback: toCallbackUrl('codehost') });
  const signIn = async (login = 'grace', to?: string) => {
    const { url, cookies } = await api.start('codehost', to);
    return await api.finish(await authorize(url, login), cookies);
  };
  const readMe = async (response: Response) =>
    (await (await api.requestWith('/v1/me', toCookies(response))).json()) as Record<string, unknown>;
  return { ...api, codehost, issuer, app, created, create, toBody, authorize, signIn, readMe };
}
