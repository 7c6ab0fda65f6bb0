import type { ApiDeps } from '../../../api/deps.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';

export const credentials = { email: 'jo@example.com', password: 'a long enough password' };

/** Starts an API with the user "jo", who has no role, and a browser session of that user. */
export async function startApiWithUser(
  now?: () => Date,
  config: Partial<ApiDeps['config']> = {},
  temporal?: ApiDeps['temporal'],
) {
  const api = await startApi({ config, ...(temporal && { temporal }), ...(now && { now }) });
  await api.request('/v1/access/users', { method: 'POST', via: 'session', body: credentials });
  const signIn = async (body: unknown, from: { remoteAddress?: string; headers?: Record<string, string> } = {}) =>
    api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous', ...from });
  const cookie = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const requestWithSession = async (
    path: string,
    init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => api.request(path, { ...init, role: 'anonymous', headers: { Cookie: cookie, ...init.headers } });
  return { ...api, cookie, signIn, requestWithSession };
}

/** Rejects a User, as the service does after an invalid change with kubectl. */
export async function rejectUser(store: Store, email: string): Promise<void> {
  const finding = { rejection: 'Its name belongs to another address.', generation: 2, at: '2027-01-01T00:00:00.000Z' };
  await store.updateStatus(UserKind, { namespace: systemNamespace, name: userName(email) }, ({ status }) => ({
    ...status,
    conditions: withAcceptedCondition(status?.conditions, finding),
  }));
}

export async function setPlatformAdmin(store: Store, email: string, platformAdmin: boolean): Promise<void> {
  const user = await store.get(UserKind, { namespace: systemNamespace, name: userName(email) });
  await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin } });
}
