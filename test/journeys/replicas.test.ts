import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
// This import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import { requestZone, createAcmeOrg, approvePending, startChange, toPublicZones } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { Installation } from '../support/platform/installation.ts';
import type { Replica } from '../support/platform/replica.ts';

const executable = inject('temporalExecutable');
let installation: Installation;
let api: ApiClient;
let apis: Replica[];
let workers: Replica[];

describe.skipIf(executable === undefined)('several API and worker processes', () => {
  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    ({ apis, workers } = await installation.startTwoOfEach());
    api = await installation.signInAsRoot();
    await createAcmeOrg(api);
    await api.post('/v1/orgs/acme/products', {
      name: 'hello',
      spec: { repos: ['acme/hello'], delivery: { zones: toPublicZones('hello') } },
    });
  }, 120_000);
  afterAll(async () => await installation?.close());

  /** Lists the process ids that executed agent turns, in order. */
  async function listTurnPids(): Promise<number[]> {
    const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
    try {
      const { workflow } = new Client({ connection });
      const [run] = await Array.fromAsync(workflow.list({ query: "WorkflowType = 'runAgentWorkflow'" }));
      const { events } = await workflow.getHandle(run?.workflowId ?? '').fetchHistory();
      const turns = new Set(
        events?.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'runAgentTurn' ? [String(eventId)] : [],
        ),
      );
      return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
        turns.has(String(started?.scheduledEventId)) ? [Number.parseInt(started?.identity ?? '', 10)] : [],
      );
    } finally {
      await connection.close();
    }
  }

  it('bring a Change to production while one of each is killed and one of each is stopped', async () => {
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    const [first] = await waitUntil(listTurnPids, (pids) => pids.length > 0);
    const busyWorker = workers.find(({ pid }) => pid === first);
    await Promise.all([apis[0]?.kill(), busyWorker?.kill()]);
    await waitUntil(listTurnPids, (pids) => pids.some((pid) => pid !== first), 60_000);

    // In a rolling update, the new process starts before the old one stops.
    apis.push(await installation.startApi());
    const newWorker = await installation.startWorker();
    const oldWorker = workers.find((worker) => worker !== busyWorker);
    workers.push(newWorker);
    expect(await Promise.all([apis[1]?.stop(), oldWorker?.stop()])).toEqual([0, 0]);

    await waitUntil(
      async () => await approvePending(api, run),
      (phase) => phase === 'Succeeded',
      240_000,
    );
    const codehost = new CodehostReader(installation);
    expect(await codehost.pulls('acme/hello')).toHaveLength(1);
    expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
    const promotions = (await codehost.commits('acme/gitops')).map(({ commit }) => commit.message.split('\n')[0]);
    expect(promotions).toEqual([
      expect.stringMatching(/^hello-prod: v0\.1\.0 /),
      expect.stringMatching(/^hello-rc: v0\.1\.0 /),
      expect.any(String),
    ]);
    const { body } = await requestZone(installation.zoneUrl('hello-prod'), '/?name=Ada');
    expect(body).toContain('Hello, Ada');
    for (const replica of [...apis, ...workers]) expect(replica.loggedErrors()).toEqual([]);
  }, 360_000);

  it('serve health checks and metrics', async () => {
    const [api, worker] = [apis.at(-1), workers.at(-1)];
    for (const replica of [api, worker]) {
      expect((await fetch(`${replica?.url}/livez`)).status).toBe(200);
      expect((await fetch(`${replica?.url}/healthz`)).status).toBe(200);
      const ready = await fetch(`${replica?.url}/readyz?verbose`);
      expect(await ready.text()).toBe('[+] store ok\n[+] workflows ok\n[+] accepting ok');
      const metrics = await (await fetch(replica?.metricsUrl ?? '')).text();
      expect(metrics).toContain('process_cpu_user_seconds_total');
      expect(metrics).toContain('temporal_request_latency');
    }
    const metrics = await (await fetch(api?.metricsUrl ?? '')).text();
    expect((await fetch(`${api?.url}/metrics`)).status).toBe(404);
    expect(metrics).toMatch(
      /delivery_http_request_duration_seconds_count\{.*route="\/api\/v1\/orgs\/:org\/agentworkflowruns\/:run".*\} \d+/,
    );
    const workerMetrics = await (await fetch(worker?.metricsUrl ?? '')).text();
    expect(workerMetrics).toMatch(/temporal_activity_execution_latency/);
  });
});
