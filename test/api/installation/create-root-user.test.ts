import { expect, it } from 'vitest';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { startApi } from '../../support/start-api.ts';

const credentials = { email: 'Root@example.com', password: 'a long enough password' };

async function freshInstall() {
  const api = await startApi({ role: 'nobody' });
  const token = Buffer.from('the-setup-token').toString('base64');
  await api.store.create(SecretKind, {
    metadata: { namespace: systemNamespace, name: 'service-setup' },
    data: { token },
  });
  const setUp = async (body: unknown, setupToken = 'the-setup-token') =>
    api.request('/v1/setup/root-user', {
      method: 'POST',
      body,
      headers: { 'X-Service-Setup-Token': setupToken },
    });
  return { ...api, setUp };
}

it('201: makes the root user, who can sign in and is a platform admin', async () => {
  const { request, setUp } = await freshInstall();
  expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: false });
  expect((await setUp(credentials)).status).toBe(201);
  expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: true });
  const signedIn = await request('/v1/auth/sign-in', { method: 'POST', body: credentials });
  expect(await signedIn.json()).toMatchObject({ email: 'root@example.com', platformAdmin: true });
});

it('401: takes nothing but the setup token', async () => {
  const { setUp } = await freshInstall();
  expect((await setUp(credentials, 'the-setup-tokeN')).status).toBe(401);
});

it('409: does it once, for whatever address', async () => {
  const { setUp } = await freshInstall();
  const both = await Promise.all([setUp(credentials), setUp({ ...credentials, email: 'other@example.com' })]);
  expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  expect((await setUp(credentials)).status).toBe(409);
});

it('422: wants a password of twelve characters', async () => {
  const { setUp } = await freshInstall();
  const response = await setUp({ ...credentials, password: 'elevenchars' });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [{ pointer: '/password' }] });
});
