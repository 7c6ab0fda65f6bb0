import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { openDemoState } from '../../../src/clients/demo/demo-state.ts';
import { signIn } from '../../../src/clients/demo/sign-in.ts';
import { createTerminal } from '../../../src/clients/demo/terminal.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { setupTokenRef } from '../../../src/rules/installation/setup-objects.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { startApi } from '../../support/start-api.ts';

const baseUrl = 'http://localhost:8080/api';
const setupToken = 'the-setup-token';
const dayMs = 86_400_000;

afterEach(() => void vi.unstubAllGlobals());

async function startDemo() {
  let now = new Date('2027-01-01T00:00:00.000Z');
  const { store, app } = await startApi({ role: 'anonymous', now: () => now });
  await store.create(SecretKind, {
    metadata: setupTokenRef,
    data: { token: Buffer.from(setupToken).toString('base64') },
  });
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => await app.request(url, init));
  const state = await openDemoState(join(await createScratchFolder(), 'demo.json'));
  const terminal = createTerminal({ yes: true, output: new PassThrough() });
  const whoAmI = async (): Promise<string> => {
    const api = await signIn({ baseUrl, setupToken, state, terminal });
    return (await api.get<{ email: string }>('/v1/me')).email;
  };
  return { state, whoAmI, pass: (days: number) => (now = new Date(now.getTime() + days * dayMs)) };
}

it('creates the root user once, and keeps its token', async () => {
  const { state, whoAmI } = await startDemo();
  expect(await whoAmI()).toBe('root@example.com');
  const { token } = state.values;
  expect(await whoAmI()).toBe('root@example.com');
  expect(state.values.token).toBe(token);
});

it('signs in again when its token has expired, as it does after 90 days', async () => {
  const { state, whoAmI, pass } = await startDemo();
  await whoAmI();
  const { token } = state.values;
  pass(91);
  expect(await whoAmI()).toBe('root@example.com');
  expect(state.values.token).not.toBe(token);
});

it('names the token to pass when neither its token nor its password is accepted', async () => {
  const { state, whoAmI } = await startDemo();
  await whoAmI();
  await state.save({ token: 'svc_of-another', password: 'not the password of the root user' });
  await expect(whoAmI()).rejects.toThrow('Pass an API token of that user in DEMO_TOKEN');
});
