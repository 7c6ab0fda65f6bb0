import { expect } from 'vitest';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

type Problem = { reason: string; detail: string; errors?: { pointer: string; detail: string }[] };
type SendOptions = { method?: string; body?: unknown };

/** Creates a Product with the default pair of zones. */
export async function aShop(
  role: 'org-admin' | 'member' | 'viewer' = 'org-admin',
  options: Parameters<typeof startApi>[0] = {},
): Promise<ApiHarness> {
  const api = await startApi({ role, ...options });
  const body = { name: 'shop', spec: { repos: [] } };
  expect((await api.request('/v1/orgs/acme/products', { method: 'POST', body, role: 'org-admin' })).status).toBe(201);
  return api;
}

/** Sends a request and returns its status with the fields that a problem points at. */
export async function send({ request }: ApiHarness, path: string, { method = 'POST', body }: SendOptions = {}) {
  const response = await request(path, { method, ...(body === undefined ? {} : { body }) });
  const problem = (await response.json()) as Problem;
  const { reason, detail } = problem;
  return { status: response.status, reason, pointers: problem.errors?.map(({ pointer }) => pointer), detail };
}
