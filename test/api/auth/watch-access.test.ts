import { expect, it, onTestFinished } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi } from '../../support/start-api.ts';
import { rejectUser } from './session-fixture.ts';

/** Opens a stream of an org that has no heartbeat. */
async function openStream(store: Store = openTestStore()) {
  const { request, tokenFor } = await startApi({ role: 'viewer', streamHeartbeatMs: 600_000, store });
  const events = readEvents(await request('/v1/orgs/acme/releases', { headers: { Accept: 'text/event-stream' } }));
  onTestFinished(async () => await events.close().catch(() => undefined));
  expect(Object.keys(await events.next())).toEqual(['id']);
  const ref = { namespace: systemNamespace, name: tokenName((await tokenFor('viewer')) ?? '') };
  return { store, ref, ...events };
}

type Target = Omit<Awaited<ReturnType<typeof openStream>>, 'next' | 'close'>;
const userRef = { namespace: systemNamespace, name: userName('viewer@example.com') };
const finding = { rejection: 'its user is unknown', generation: 1, at: '2027-01-01T00:00:00.000Z' };

it.each<[string, string, (target: Target) => Promise<unknown>]>([
  ['its token is deleted', 'token-revoked', async ({ store, ref }) => await store.delete(ApiTokenKind, ref)],
  [
    'its token expires earlier',
    'token-expired',
    async ({ store, ref }) => {
      const token = await store.get(ApiTokenKind, ref);
      const spec = { ...token.spec, expiresAt: '2020-01-01T00:00:00.000Z' };
      await store.replace(ApiTokenKind, { ...token, spec });
    },
  ],
  [
    'its token becomes invalid',
    'token-revoked',
    async ({ store, ref }) =>
      await store.updateStatus(ApiTokenKind, ref, () => ({ conditions: withAcceptedCondition([], finding) })),
  ],
  ['its person becomes invalid', 'user-rejected', async ({ store }) => await rejectUser(store, 'viewer@example.com')],
  ['its person is removed', 'token-revoked', async ({ store }) => await store.delete(UserKind, userRef)],
  [
    'the person loses the role',
    'insufficient-role',
    async ({ store }) => await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'viewers' }),
  ],
])('ends a stream at once when %s', async (_what, reason, revoke) => {
  const { next, close: _close, ...target } = await openStream();
  await revoke(target);
  expect(await next()).toMatchObject({ event: 'closed', data: { reason } });
});

it('keeps a stream open when its token is used and when its org changes, and ends every watch with it', async () => {
  const store = openTestStore();
  const open: string[] = [];
  const watch: Store['watch'] = (kind, options) => {
    open.push(kind.kind);
    options.signal.addEventListener('abort', () => open.splice(open.indexOf(kind.kind), 1));
    return store.watch(kind, options);
  };
  const { ref, next, close } = await openStream({ ...store, watch });
  await expect.poll(() => open.toSorted()).toEqual(['AccessGroup', 'ApiToken', 'Organization', 'Release', 'User']);
  await store.updateStatus(ApiTokenKind, ref, () => ({ lastUsedAt: '2027-01-01T00:00:00.000Z' }));
  const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, displayName: 'Acme' } });
  const pending = next();
  expect(await Promise.race([pending, new Promise((resolve) => setImmediate(() => resolve('open')))])).toBe('open');
  await Promise.all([expect(pending).rejects.toThrow('The stream has ended.'), close()]);
  await expect.poll(() => open).toEqual([]);
});
