import { describe, expect } from 'vitest';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { orgNamespace } from '../../../src/rules/resource.ts';
import { itWithDex, startDex } from '../../support/servers/dex.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { ada, startApiForSignIn, toCallbackUrl, toCookies, toFields } from './sign-in-fixture.ts';

async function startWithDex() {
  const clock = { now: Date.now() };
  const provider = await startDex(toCallbackUrl('dex'), { ada });
  const api = await startApiForSignIn({ now: () => new Date(clock.now) });
  await api.addProvider('dex', provider.issuer);
  await api.store.create(AccessGroupKind, {
    metadata: { namespace: orgNamespace('acme'), name: 'engineering' },
    spec: {
      name: 'engineering',
      role: 'org-admin',
      members: [],
      providerGroups: [{ provider: 'dex', group: 'developers' }],
    },
  });
  const cookies = toCookies(await api.signIn('dex', 'ada'));
  const readRoles = async (): Promise<unknown> => {
    const response = await api.requestWith('/v1/me', cookies);
    return response.status === 200 ? ((await response.json()) as { orgs: unknown }).orgs : response.status;
  };
  return { ...api, provider, readRoles, passMinutes: (minutes: number) => void (clock.now += minutes * 60_000) };
}
const admin = [{ org: 'acme', role: 'org-admin' }];

describe('a sign-in through Dex, which has neither PKCE nor a userinfo endpoint', () => {
  itWithDex('gives the role of a group, until the person leaves it', async () => {
    const { provider, readRoles, passMinutes } = await startWithDex();
    expect(await readRoles()).toEqual(admin);
    await provider.save({ ada: { ...ada, groups: ['others'] } });
    expect(await readRoles()).toEqual(admin);
    passMinutes(5);
    expect(await readRoles()).toEqual([]);
    await provider.save({ ada });
    passMinutes(5);
    expect(await readRoles()).toEqual(admin);
  });

  itWithDex('keeps the role while Dex is down', async () => {
    const { provider, readRoles, passMinutes } = await startWithDex();
    await provider.stop();
    passMinutes(6);
    expect(await readRoles()).toEqual(admin);
  });

  itWithDex('goes on in two browsers, although Dex keeps one refresh token of a person', async () => {
    const { signIn, readRoles, passMinutes, requestWith } = await startWithDex();
    const second = toCookies(await signIn('dex', 'ada'));
    passMinutes(5);
    expect(await readRoles()).toEqual(admin);
    expect(await (await requestWith('/v1/me', second)).json()).toMatchObject({ orgs: admin });
  });

  itWithDex('is refused when a code is used again', async () => {
    const { start, finish } = await startWithDex();
    const { url, cookies } = await start('dex');
    const callbackUrl = await signInAtProvider(url, { fields: toFields('ada'), callback: toCallbackUrl('dex') });
    expect((await finish(callbackUrl, cookies)).status).toBe(303);
    expect(await (await finish(callbackUrl, cookies)).json()).toMatchObject({
      status: 401,
      reason: 'sign-in-rejected',
    });
  });
});
