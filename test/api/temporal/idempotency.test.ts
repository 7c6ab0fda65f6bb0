import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { identifyRequest, requestBlobKey, stashPayload } from '../../../api/temporal/idempotency.ts';
import { startApi } from '../../support/start-api.ts';

const app = new Hono<ApiEnv>().get('/:user', (c) => {
  const user = c.req.param('user');
  c.set('caller', { user, email: `${user}@example.com`, platformAdmin: false, via: 'token' });
  return c.json(identifyRequest(c, 'startRun'));
});
const identify = async (user: string, key?: string): Promise<unknown> =>
  (await app.request(`/${user}`, { headers: key === undefined ? {} : { 'Idempotency-Key': key } })).json();

it('gives repeated requests of one caller the same id', async () => {
  expect(await identify('ada', 'k')).toEqual(await identify('ada', 'k'));
  expect(await identify('ada')).not.toEqual(await identify('ada'));
});

it('gives another id to the request of another caller with the same key', async () => {
  expect(await identify('ada', 'k')).not.toEqual(await identify('bob', 'k'));
});

it('saves a payload once, and rejects another text with the same key', async () => {
  const { blobs } = await startApi();
  await stashPayload(blobs, 'one', 'text');
  await stashPayload(blobs, 'one', 'text');
  expect(Buffer.from((await blobs.find(requestBlobKey('one'))) ?? []).toString()).toBe('text');
  await expect(stashPayload(blobs, 'one', 'other')).rejects.toMatchObject({ reason: 'idempotency-key-reused' });
});
