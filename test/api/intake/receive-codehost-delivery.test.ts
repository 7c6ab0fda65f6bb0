import { createHash, createHmac } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const storeSecret = async (store: Store, org: string, keys: Record<string, string>): Promise<void> => {
  const data = Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  await store.create(SecretKind, { metadata: { namespace: `org-${org}`, name: 'codehost-app' }, data });
};
const sign = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const opened = JSON.stringify({
  action: 'opened',
  issue: { number: 7, labels: [{ name: 'service' }] },
  repository: { full_name: 'acme/shop' },
  sender: { type: 'User' },
});

const mib = 1024 * 1024;
const now = new Date('2026-01-02T00:00:00Z');

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function intake(webhooks = { bodyBytesMax: 5 * mib, unverifiedBytesMax: 64 * mib }, temporal?: Client) {
  const config = { webhooks };
  const api = await startApi({ role: 'anonymous', config, log, now: () => now, ...(temporal && { temporal }) });
  await createOrg(api.store, 'umbrella');
  await storeSecret(api.store, 'acme', {
    'webhook-secret': 'new',
    'webhook-secret-previous': 'old',
    'webhook-secret-previous-expires': '2026-01-02T00:00:01Z',
  });
  await storeSecret(api.store, 'umbrella', { 'webhook-secret': 'theirs' });
  const deliver = async (body: string, headers: Record<string, string>) =>
    api.request('/v1/webhooks/codehost', {
      method: 'POST',
      body,
      headers: { 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': 'guid-1', ...headers },
    });
  return { ...api, deliver };
}

describe('receiveCodehostDelivery', () => {
  it('401: rejects a signature that matches no org', async () => {
    const { deliver } = await intake();
    const signatures = [
      '',
      'sha256=',
      'sha1=abc',
      `sha256=${'0'.repeat(64)}`,
      sign(opened, ''),
      sign(`${opened} `, 'new'),
    ];
    const statuses = signatures.map(
      async (signature) => (await deliver(opened, { 'X-Hub-Signature-256': signature })).status,
    );
    expect(await Promise.all(statuses)).toEqual(signatures.map(() => 401));
    expect((await deliver('not json', {})).status).toBe(401);
  });

  it.each(['new', 'old', 'theirs'])('202: accepts a signature with the secret "%s"', async (secret) => {
    const { deliver } = await intake();
    const body = '{"zen": "…"}';
    const response = await deliver(body, { 'X-GitHub-Event': 'ping', 'X-Hub-Signature-256': sign(body, secret) });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({
      deliveryId: 'guid-1',
      outcome: 'ignored',
      reason: 'event-type-ignored',
      message: 'Events of type "ping" start no runs.',
    });
  });

  it.each([
    ['{"action": "opened"', 'The body is not a valid event of type "issues".'],
    ['{"action": "opened"}', 'The body is not a valid event of type "issues".'],
    [opened.replace('opened', 'closed'), 'The action "closed" of "issues" starts no runs.'],
  ])('202: ignores %s with a reason', async (body, message) => {
    const { deliver } = await intake();
    const response = await deliver(body, { 'X-Hub-Signature-256': sign(body, 'new') });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ outcome: 'ignored', message });
  });

  it('413: rejects a body larger than the limit', async () => {
    const { deliver } = await intake();
    const large = 'x'.repeat(5 * mib + 1);
    expect((await deliver(large, { 'X-Hub-Signature-256': sign(large, 'new') })).status).toBe(413);
    const fits = JSON.stringify({ text: 'x'.repeat(2 * mib) });
    expect((await deliver(fits, { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': sign(fits, 'new') })).status).toBe(
      202,
    );
  });

  it('503: refuses bodies that exceed the memory for unverified ones, and accepts others again afterwards', async () => {
    const { deliver } = await intake({ bodyBytesMax: 25 * mib, unverifiedBytesMax: 8 * mib });
    const forged = 'x'.repeat(3 * mib);
    const flood = await Promise.all(
      Array.from({ length: 8 }, async () => await deliver(forged, { 'X-Hub-Signature-256': sign(forged, 'wrong') })),
    );
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([401, 503]));
    const refused = flood.find(({ status }) => status === 503);
    expect(refused?.headers.get('Retry-After')).toBe('10');
    expect(refused?.headers.get('Connection')).toBe('close');
    expect(await refused?.json()).toMatchObject({ reason: 'intake-overloaded' });
    const fits = JSON.stringify({ text: 'x'.repeat(3 * mib) });
    const signed = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': sign(fits, 'new') };
    const accepted = await deliver(fits, signed);
    expect([accepted.status, accepted.headers.get('Connection')]).toEqual([202, null]);
  });

  it('202: accepts an event whose workflow runs already, and starts one for each body', async () => {
    const started: { workflowId: string; args: unknown[] }[] = [];
    const start = async (_type: string, options: { workflowId: string; args: unknown[] }): Promise<void> => {
      if (started.length === 2) throw new Error('The namespace is full.');
      started.push(options);
      if (started.length === 2) throw new WorkflowExecutionAlreadyStartedError('It runs.', options.workflowId, 'any');
    };
    const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
    const { deliver } = await intake(undefined, { workflow: { start }, withDeadline } as unknown as Client);
    const form = new URLSearchParams({ payload: opened }).toString();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    const accepted = await deliver(opened, { 'X-Hub-Signature-256': sign(opened, 'new') });
    expect([accepted.status, await accepted.json()]).toEqual([202, { deliveryId: 'guid-1', outcome: 'accepted' }]);
    const again = await deliver(form, {
      ...type,
      'X-GitHub-Delivery': '',
      'X-Hub-Signature-256': sign(form, 'theirs'),
    });
    expect([again.status, await again.json()]).toEqual([
      202,
      { deliveryId: createHash('sha256').update(form).digest('hex').slice(0, 16), outcome: 'accepted' },
    ]);
    const facts = { event: 'issues', action: 'opened', repo: 'acme/shop', number: 7, at: now.toISOString() };
    expect(started.map(({ args }) => args[0])).toMatchObject([
      { org: 'acme', facts },
      { org: 'umbrella', facts },
    ]);
    expect((await deliver(opened, { 'X-Hub-Signature-256': sign(opened, 'new') })).status).toBe(500);
  });

  it('202: tells the run of a pull request that a person has closed it', async () => {
    const signals: unknown[] = [];
    const getHandle = (id: string) => ({
      signal: async ({ name }: { name: string }, input: unknown) => void signals.push([id, name, input]),
    });
    const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
    const { deliver, store } = await intake(undefined, { workflow: { getHandle }, withDeadline } as unknown as Client);
    const url = 'https://codehost.example/acme/shop/pull/8';
    const run = { namespace: 'org-acme', name: 'change-shop-7' };
    const target = { repo: 'acme/shop', number: 7 };
    const spec = { agentWorkflow: 'change', product: 'shop', target, startedBy: 'ada', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: run, spec });
    const pullRequest = { number: 8, url, headSha: 'c1' };
    const status = { phase: 'WaitingForPerson' as const, steps: [], pullRequest };
    await store.updateStatus(AgentWorkflowRunKind, run, () => status);
    const closed = JSON.stringify({
      action: 'closed',
      pull_request: { html_url: url },
      repository: { full_name: 'acme/shop' },
      sender: { type: 'User' },
    });
    const signed = { 'X-GitHub-Event': 'pull_request', 'X-Hub-Signature-256': sign(closed, 'new') };
    const response = await deliver(closed, signed);
    expect([response.status, await response.json()]).toMatchObject([202, { reason: 'action-ignored' }]);
    const workflowId = 'run-agent-workflow/acme/change/acme/shop#7';
    expect(signals).toEqual([[workflowId, 'pullRequestClosed', { run: 'change-shop-7' }]]);
  });

  it('503: does not acknowledge a delivery while Temporal is unavailable', async () => {
    const { deliver } = await intake();
    expect((await deliver(opened, { 'X-Hub-Signature-256': sign(opened, 'new') })).status).toBe(503);
  });
});
