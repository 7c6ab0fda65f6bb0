import { expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { loadConfig } from '../../../src/config.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { startApi } from '../../support/start-api.ts';

const path = '/v1/orgs/acme/releases';
const headers = { Accept: 'text/event-stream' };

it('ends a stream at its next heartbeat after the token was revoked', async () => {
  const { request, store, tokenFor } = await startApi({ role: 'viewer', streamHeartbeatMs: 20 });
  const response = await request(path, { headers });
  expect(response.status).toBe(200);
  const name = tokenName((await tokenFor('viewer')) ?? '');
  await store.delete(ApiTokenKind, { namespace: systemNamespace, name });
  // The text is complete only if the stream ends.
  expect(await response.text()).toContain('id: ');
});

it('429: limits the open streams of a person, and counts only those that are still open', async () => {
  const quotas = { ...loadConfig({}).quotas, streamsPerUser: 2 };
  const { request } = await startApi({ role: 'viewer', config: { quotas }, streamHeartbeatMs: 20 });
  const open = async (role?: 'member') => await request(path, { headers, ...(role && { role }) });
  const [first] = [await open(), await open()];
  expect(await (await open()).json()).toMatchObject({
    status: 429,
    reason: 'quota-reached',
    detail: expect.stringContaining('2 open event streams (QUOTA_STREAMS_PER_USER)'),
  });
  expect((await open('member')).status).toBe(200);
  await first?.body?.cancel();
  await expect.poll(async () => (await open()).status).toBe(200);
});
