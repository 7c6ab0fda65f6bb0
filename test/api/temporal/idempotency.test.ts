import { type Context, Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { identifyRequest, requestBlobKey, stashPayload } from '../../../api/temporal/idempotency.ts';
import type { ServiceError } from '../../../src/errors.ts';
import { startApi } from '../../support/start-api.ts';

const app = new Hono<ApiEnv>().get('/:user', (c) => {
  const user = c.req.param('user');
  c.set('caller', { user, email: `${user}@example.com`, platformAdmin: false, via: 'token' });
  return c.json(identifyRequest(c, c.req.query('operation') ?? 'startRun'));
});
const identify = async (user: string, key?: string, operation = 'startRun'): Promise<unknown> =>
  (
    await app.request(`/${user}?operation=${operation}`, {
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    })
  ).json();

it('gives repeated requests of one caller the same id', async () => {
  expect(await identify('ada', 'k')).toEqual(await identify('ada', 'k'));
  expect(await identify('ada')).not.toEqual(await identify('ada'));
});

it('gives another id to the request of another caller with the same key', async () => {
  expect(await identify('ada', 'k')).not.toEqual(await identify('bob', 'k'));
});

it('gives another id to another operation with the same key', async () => {
  expect(await identify('ada', 'k', 'startRelease')).not.toEqual(await identify('ada', 'k'));
});

it('knows whether a key was sent', async () => {
  expect(await identify('ada')).toMatchObject({ hasIdempotencyKey: false });
  expect(await identify('ada', 'k')).toMatchObject({ hasIdempotencyKey: true });
});

it.each([
  [1, []],
  [200, []],
  [201, ['invalid']],
])('judges a key of %i characters: %j', async (length, expected) => {
  const reasons: unknown[] = [];
  app.onError((error, c) => {
    reasons.push((error as ServiceError).reason);
    return c.json({});
  });
  await identify('ada', 'k'.repeat(length));
  expect(reasons).toEqual(expected);
});

it('rejects an empty key', () => {
  const context = { req: { header: () => '' }, get: () => ({ user: 'ada' }) } as unknown as Context<ApiEnv>;
  expect(() => identifyRequest(context, 'startRun')).toThrow('has 0 characters');
});

it('saves a payload once, and rejects another text with the same key', async () => {
  const { blobs } = await startApi();
  await stashPayload(blobs, 'one', 'text');
  await stashPayload(blobs, 'one', 'text');
  expect(Buffer.from((await blobs.find(requestBlobKey('one'))) ?? []).toString()).toBe('text');
  await expect(stashPayload(blobs, 'one', 'other')).rejects.toMatchObject({ reason: 'idempotency-key-reused' });
});
