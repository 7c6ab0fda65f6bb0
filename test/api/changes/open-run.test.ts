import { createHash } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { openRun } from '../../../api/changes/open-run.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { OrganizationKind } from '../../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { startApi } from '../../support/start-api.ts';

const target = { repo: 'acme/shop', number: 7 };
const input = { org: 'acme', agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', requestId: 'r' };

/** An org that allows two runs an hour for a target, and had them; nothing listens where Temporal would be. */
async function afterTwoRuns() {
  const { store } = await startApi();
  const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, agents: { runsPerTargetAndHour: 2 } } });
  for (const name of ['one', 'two']) {
    const spec = { agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: { namespace: 'org-acme', name }, spec });
  }
  const temporal = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const open = async (about = input, repeatable = false) =>
    openRun({ store, temporal, now: () => new Date() } as unknown as ApiDeps, about, { id: 'r', repeatable });
  return { store, open };
}

it('429: no more runs start for a target than the org allows in an hour', async () => {
  const { open } = await afterTwoRuns();
  const refused: unknown = await open().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'too-many-requests', message: expect.stringContaining('acme/shop#7') });
  const { retryAfterMs = 0 } = refused as { retryAfterMs?: number };
  expect(retryAfterMs).toBeGreaterThan(59 * 60_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60 * 60_000);
});

it('503: another target is not held up by it', async () => {
  const { open } = await afterTwoRuns();
  await expect(open({ ...input, target: { ...target, number: 8 } })).rejects.toMatchObject({ code: 'unavailable' });
});

it('201: a request that has started its run is answered with it again', async () => {
  const { store, open } = await afterTwoRuns();
  const digest = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  const metadata = { namespace: 'org-acme', name: 'request-r' };
  await store.create(ConfigMapKind, { metadata, data: { digest, started: 'two' } });
  expect(await open(input, true)).toBe('two');
});
