import { expect, it } from 'vitest';
import { issueState } from '../../../api/codehost/connection-state.ts';
import { stashPayload } from '../../../api/temporal/idempotency.ts';
import { startIdempotent } from '../../../api/temporal/start-idempotent.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { runSweeps, sweepExpired } from '../../../src/main/api/sweep-expired.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { createStartingTemporal } from '../../api/temporal/start-fixture.ts';
import { startApi } from '../../support/start-api.ts';

const day = 24 * 60 * 60_000;

/** Creates one of everything that expires: a ticket, a token, a connection state and a request. */
async function startWithLeftovers() {
  const { store, blobs } = await startApi();
  const createToken = async (name: string, spec: { use: 'token' | 'login-ticket'; expiresAt?: string }) =>
    await store.create(ApiTokenKind, {
      metadata: { namespace: 'service-system', name },
      spec: { user: 'jo', userUid: 'uid', label: name, ...spec },
    });
  const inAMinute = new Date(Date.now() + 60_000).toISOString();
  await createToken('ticket', { use: 'login-ticket', expiresAt: inAMinute });
  await createToken('token', { use: 'token', expiresAt: new Date(Date.now() + 90 * day).toISOString() });
  await createToken('unlimited', { use: 'token' });
  await issueState(store, { org: 'acme', user: 'jo', browser: undefined }, new Date());
  const request = { id: 'one', hasIdempotencyKey: true };
  await startIdempotent(
    { store, temporal: createStartingTemporal({}).temporal },
    { org: 'acme', request, payload: {}, prepare: async () => ({}) },
    { toWorkflowId: () => 'a-run', start: async () => 'a-run' },
  );
  await stashPayload(blobs, request.id, 'text');
  await blobs.put('runs/1/answer', Buffer.from('kept'));
  await blobs.put('archives/acme/one', Buffer.from('zip'));
  const list = async () => ({
    tokens: (await store.list(ApiTokenKind)).items.map(({ metadata }) => metadata.name),
    states: (await store.list(SecretKind)).items.filter(({ metadata }) => metadata.name.startsWith('codehost-connect'))
      .length,
    requests: (await store.list(ConfigMapKind, { namespace: 'org-acme' })).items.length,
    blobs: await blobs.list(''),
  });
  const sweepAfter = async (ms: number) => {
    await sweepExpired({ store, blobs, now: () => new Date(Date.now() + ms) });
    return await list();
  };
  return { store, blobs, list, sweepAfter };
}

it('deletes what has expired, and keeps what may still be used', async () => {
  const { list, sweepAfter } = await startWithLeftovers();
  const all = await list();
  expect(all).toEqual({
    tokens: ['ticket', 'token', 'unlimited'],
    states: 1,
    requests: 1,
    blobs: ['archives/acme/one', 'requests/one', 'runs/1/answer'],
  });
  expect(await sweepAfter(0)).toEqual(all);
  expect(await sweepAfter(2 * 60_000)).toEqual({ ...all, tokens: ['token', 'unlimited'] });
  expect(await sweepAfter(day)).toEqual({ ...all, tokens: ['token', 'unlimited'], states: 0 });
  expect((await sweepAfter(8 * day)).blobs).toEqual(['requests/one', 'runs/1/answer']);
  expect(await sweepAfter(31 * day)).toEqual({
    tokens: ['token', 'unlimited'],
    states: 0,
    requests: 0,
    blobs: ['runs/1/answer'],
  });
  expect((await sweepAfter(91 * day)).tokens).toEqual(['unlimited']);
});

it('sweeps at its interval until it is stopped, also after a failure', async () => {
  const { store, blobs, list } = await startWithLeftovers();
  const controller = new AbortController();
  const warnings: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: (_: object, message: string) => void warnings.push(message),
    error: () => {},
  };
  let sweeps = 0;
  const now = (): Date => {
    sweeps += 1;
    if (sweeps === 1) throw new Error('no clock');
    return new Date(Date.now() + day);
  };
  const running = runSweeps(() => sweepExpired({ store, blobs, now }), {
    log,
    signal: controller.signal,
    intervalMs: 5,
  });
  await expect.poll(async () => (await list()).states).toBe(0);
  controller.abort();
  await running;
  expect(warnings).toEqual(['Failed to sweep']);
});
