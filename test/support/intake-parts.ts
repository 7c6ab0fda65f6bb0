import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startReplica } from './replica.ts';

export const openPartsStore = (dataDir: string): Store => openSqliteStore({ file: join(dataDir, 'store.sqlite') });
export const orgName = (at: number): string => `org${at}`;
export const secretOf = (org: string): string => `webhook secret of ${org}, as long as they are`;

/** Orgs with a secret each; in every one an issue of `<org>/hello` with the label "go" starts a run of one empty step. */
export async function fillOrgs(store: Store, count: number): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  for (let at = 0; at < count; at += 1) {
    const org = orgName(at);
    const namespace = `org-${org}`;
    const data = { 'webhook-secret': base64(secretOf(org)), 'app-id': base64(`${1000 + at}`), slug: base64(org) };
    await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, data });
    const zones = [{ name: `${org}-prod`, arrival: 'automatic' as const }];
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

export const runsOf = async (store: Store): Promise<AgentWorkflowRun[]> =>
  (await store.list(AgentWorkflowRunKind)).items;

type Event = { org: string; number: number; action?: string; bytes?: number };

/** An issue that was opened with a label, as the code host tells of it: twice. */
export function issueEvent({ org, number, action = 'opened', bytes = 0 }: Event): string {
  const at = '2026-01-01T00:00:00Z';
  const account = { login: 'ada', type: 'User' };
  return JSON.stringify({
    action,
    issue: {
      number,
      title: 'An issue',
      body: 'x'.repeat(bytes),
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

export const hookHeaders = (delivery: string, body: string, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'issues',
  'x-github-delivery': delivery,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

export type Part = { kill(): Promise<void>; errors(): string };

/** Starts a program, by its place or of this folder, in a process of its own and waits until it says that it is ready. */
export async function startPart(program: string, args: string[]): Promise<Part> {
  const file = resolve(import.meta.dirname, program);
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'exit');
  const ready = child.stdout && once(child.stdout, 'data');
  await Promise.race([
    ready,
    exited.then(() => {
      throw new Error(`${program} ended at once: ${errors}`);
    }),
  ]);
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    errors: () => errors,
  };
}

export async function startApiPart(dataDir: string, temporalAddress: string): Promise<Part & { url: string }> {
  const api = await startReplica('serve', { DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporalAddress });
  return {
    kill: api.kill,
    errors: () => api.complaints().join('\n'),
    url: `${api.url}/api/v1/webhooks/codehost`,
  };
}
