import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { startReplica } from './replica.ts';

export const openIntakeStore = (dataDir: string): Store => openSqliteStore({ file: join(dataDir, 'store.sqlite') });
export const toOrgName = (index: number): string => `org${index}`;
export const toWebhookSecret = (org: string): string => `webhook secret of ${org}, as long as they are`;

/** Creates orgs in which an issue of `<org>/hello` with the label "go" starts a run with one empty step. */
export async function seedOrgs(store: Store, count: number): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  for (let index = 0; index < count; index += 1) {
    const org = toOrgName(index);
    const namespace = `org-${org}`;
    const data = {
      'webhook-secret': base64(toWebhookSecret(org)),
      'app-id': base64(`${1000 + index}`),
      slug: base64(org),
    };
    await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, data });
    const zones = [{ name: `${org}-prod`, promotionPolicy: 'automatic' as const }];
    const product = { repos: [`${org}/hello`], delivery: { zones } };
    await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: product });
    const role = { responsibilities: ['Say nothing.'] };
    await store.create(AgentRoleKind, { metadata: { namespace, name: 'reporter' }, spec: role });
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name: 'report' },
      spec: {
        enabled: true,
        triggers: [
          { type: 'event', event: 'issue.opened', labels: ['go'] },
          { type: 'event', event: 'issue.labeled', labels: ['go'] },
        ],
        steps: [{ name: 'report', type: 'agent', role: 'reporter', mode: 'report' }],
      },
    });
    const spec = { codehostAccount: org, gitopsRepo: `${org}/gitops` };
    await store.create(OrganizationKind, { metadata: { namespace: 'service-system', name: org }, spec });
  }
}

export const listRuns = async (store: Store): Promise<AgentWorkflowRun[]> =>
  (await store.list(AgentWorkflowRunKind)).items;

type IssueEventOptions = { org: string; number: number; action?: string; bodyBytes?: number };

/** Builds the event of a labeled issue. The code host sends two events for such an issue: opened and labeled. */
export function buildIssueEvent({ org, number, action = 'opened', bodyBytes = 0 }: IssueEventOptions): string {
  const at = '2026-01-01T00:00:00Z';
  const account = { login: 'ada', type: 'User' };
  return JSON.stringify({
    action,
    issue: {
      number,
      title: 'An issue',
      body: 'x'.repeat(bodyBytes),
      labels: [{ name: 'go' }],
      user: account,
      created_at: at,
      updated_at: at,
    },
    ...(action === 'labeled' && { label: { name: 'go' } }),
    repository: { name: 'hello', full_name: `${org}/hello`, owner: { login: org } },
    sender: account,
  });
}

export const buildWebhookHeaders = (delivery: string, body: string, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'issues',
  'x-github-delivery': delivery,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

export type ServiceProcess = { kill(): Promise<void>; readErrors(): string };

/** Starts a program in a separate process and waits for its first output. The path is relative to this folder. */
export async function startServiceProcess(program: string, args: string[]): Promise<ServiceProcess> {
  const file = resolve(import.meta.dirname, program);
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'exit');
  const ready = child.stdout && once(child.stdout, 'data');
  await Promise.race([
    ready,
    exited.then(() => {
      throw new Error(`${program} exited during startup: ${errors}`);
    }),
  ]);
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    readErrors: () => errors,
  };
}

export async function startApiProcess(
  dataDir: string,
  temporalAddress: string,
): Promise<ServiceProcess & { url: string }> {
  const api = await startReplica('api', { DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporalAddress });
  return {
    kill: api.kill,
    readErrors: () => api.loggedErrors().join('\n'),
    url: `${api.url}/api/v1/webhooks/codehost`,
  };
}
