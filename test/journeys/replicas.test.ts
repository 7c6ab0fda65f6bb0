import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
// For what it declares that the run provides.
import type {} from '../support/temporal.ts';
import { CodehostFacts, ask, createAcme, decide, startChange, until } from '../support/acme.ts';
import { Installation } from '../support/installation.ts';
import type { Replica } from '../support/replica.ts';

const executable = inject('temporalExecutable');
let installation: Installation;
let api: Api;
let serving: Replica[];
let working: Replica[];

describe.skipIf(executable === undefined)('several processes of each kind', () => {
  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    ({ serving, working } = await installation.startTwoOfEach());
    api = await installation.asRoot();
    await createAcme(api);
    await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
  }, 120_000);
  afterAll(async () => await installation?.close());

  /** The processes that took agents' turns, in order. */
  async function turnsTakenBy(): Promise<number[]> {
    const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
    try {
      const { workflow } = new Client({ connection });
      const [run] = await Array.fromAsync(workflow.list({ query: "WorkflowType = 'runAgentWorkflow'" }));
      const { events } = await workflow.getHandle(run?.workflowId ?? '').fetchHistory();
      const turns = new Set(
        events?.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'agentTurn' ? [String(eventId)] : [],
        ),
      );
      return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
        turns.has(String(started?.scheduledEventId)) ? [Number.parseInt(started?.identity ?? '', 10)] : [],
      );
    } finally {
      await connection.close();
    }
  }

  it('take a Change to production while one of each is killed and one of each is told to stop', async () => {
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    const [first] = await until(turnsTakenBy, (pids) => pids.length > 0);
    const holder = working.find(({ pid }) => pid === first);
    await Promise.all([serving[0]?.kill(), holder?.kill()]);
    await until(turnsTakenBy, (pids) => pids.some((pid) => pid !== first), 60_000);

    // A rolling update: the new one is there before the old one goes.
    serving.push(await installation.serve());
    const updated = await installation.work();
    const old = working.find((one) => one !== holder);
    working.push(updated);
    expect(await Promise.all([serving[1]?.stop(), old?.stop()])).toEqual([0, 0]);

    await until(
      async () => await decide(api, run),
      (phase) => phase === 'Succeeded',
      240_000,
    );
    const codehost = new CodehostFacts(installation);
    expect(await codehost.pulls('acme/hello')).toHaveLength(1);
    expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
    const promotions = (await codehost.commits('acme/gitops')).map(({ commit }) => commit.message.split('\n')[0]);
    expect(promotions).toEqual([
      expect.stringMatching(/^hello-prod: v0\.1\.0 /),
      expect.stringMatching(/^hello-rc: v0\.1\.0 /),
      expect.any(String),
    ]);
    const { body } = await ask(installation.address('hello-prod'), '/?name=Ada');
    expect(body).toContain('Hello, Ada');
    for (const replica of [...serving, ...working]) expect(replica.complaints()).toEqual([]);
  }, 360_000);

  it('tell how they are, and what they use', async () => {
    const [api, worker] = [serving.at(-1), working.at(-1)];
    for (const replica of [api, worker]) {
      expect((await fetch(`${replica?.url}/livez`)).status).toBe(200);
      expect((await fetch(`${replica?.url}/healthz`)).status).toBe(200);
      const ready = await fetch(`${replica?.url}/readyz?verbose`);
      expect(await ready.text()).toBe('[+] store ok\n[+] workflows ok\n[+] accepting ok');
      const metrics = await (await fetch(`${replica?.url}/metrics`)).text();
      expect(metrics).toContain('process_cpu_user_seconds_total');
      expect(metrics).toContain('temporal_request_latency');
    }
    const metrics = await (await fetch(`${api?.url}/metrics`)).text();
    expect(metrics).toMatch(/http_requests_total\{.*route="\/api\/v1\/orgs\/:org\/agentworkflowruns\/:run".*\} \d+/);
    const work = await (await fetch(`${worker?.url}/metrics`)).text();
    expect(work).toMatch(/temporal_activity_execution_latency/);
  });
});
