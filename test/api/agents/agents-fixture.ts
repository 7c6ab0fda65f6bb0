import { expect } from 'vitest';
import { startApi } from '../../support/start-api.ts';

export const writer = { name: 'writer', spec: { responsibilities: ['Write it.'] } };
export const step = { name: 'write', type: 'agent', role: 'writer', mode: 'report' };
export const draft = { name: 'draft', spec: { enabled: true, triggers: [], steps: [step] } };

/** An org with the AgentRole "writer" and the AgentWorkflow "draft". */
export async function withDraft() {
  const api = await startApi({ role: 'org-admin' });
  const post = async (path: string, body: unknown) => api.request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
  expect((await post('agentroles', writer)).status).toBe(201);
  const created = await post('agentworkflows', draft);
  return { ...api, post, created, view: (await created.json()) as { resourceVersion: string } };
}
