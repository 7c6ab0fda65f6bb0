import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { parseExpression } from '../deploy/parse-expression.ts';
import { listAlerts, readAlertGroups } from '../deploy/read-alerts.ts';
import { listExpressions, readDashboards } from '../deploy/read-dashboards.ts';
// This import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import { approvePending, createAcmeOrg, startChange, toPublicZones } from '../support/platform/acme.ts';
import { Installation } from '../support/platform/installation.ts';
import type { Replica } from '../support/platform/replica.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { lintMetrics } from '../support/servers/promtool.ts';

const executable = inject('temporalExecutable');
let installation: Installation;
let api: ApiClient;
let processes: { api: Replica; worker: Replica };

const scrape = async ({ metricsUrl }: Replica): Promise<string> => await (await fetch(metricsUrl)).text();

describe.skipIf(executable === undefined)('the metrics of real processes', () => {
  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    processes = { api: await installation.startApi(), worker: await installation.startWorker() };
    api = await installation.signInAsRoot();
    await createAcmeOrg(api);
    const spec = { repos: ['acme/hello'], delivery: { zones: toPublicZones('hello') } };
    await api.post('/v1/orgs/acme/products', { name: 'hello', spec });
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    await waitUntil(
      async () => await approvePending(api, run),
      (phase) => phase === 'Succeeded',
      240_000,
    );
  }, 360_000);
  afterAll(async () => await installation?.close());

  it('time requests by their route, the store by its operations and deliveries by their routing', async () => {
    const metrics = await scrape(processes.api);
    expect(metrics).toMatch(
      /delivery_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/orgs\/:org\/agentworkflowruns\/:run",status="200"\} \d/,
    );
    expect(metrics).toMatch(/_seconds_count\{method="POST",route="\/api\/v1\/webhooks\/codehost",status="202"\} \d/);
    expect(metrics).toContain('delivery_webhooks_late 0');
    expect(metrics).toContain('delivery_task_queue_pollers{task_queue="delivery",task_type="workflow"} 1');
    expect(metrics).toContain('delivery_task_queue_tasks{task_queue="delivery-agents",task_type="activity"} 0');
    expect(metrics).toMatch(/delivery_agent_tokens_today\{org="acme",direction="output"\} [1-9]/);
    for (const replica of Object.values(processes))
      expect(await scrape(replica)).toMatch(
        /delivery_store_operation_duration_seconds_count\{operation="list",kind="Organization",consistency="strong",outcome="ok"\} [1-9]/,
      );
    expect(await scrape(processes.worker)).toMatch(
      /temporal_workflow_endtoend_latency_seconds_count\{.*workflow_type="routeDelivery"\} [1-9]/,
    );
  });

  it('count the steps that a budget stops', async () => {
    await api.put('/v1/orgs/acme/agent-limits', { costUsdPerDay: 0.01 });
    await startChange(api, 'hello', 'Greet visitors by name again');
    // The scripted model has no price.
    const stops = 'delivery_agent_budget_stops_total{org="acme",reason="model-price-unknown"} 1';
    await expect.poll(async () => (await scrape(processes.worker)).includes(stops)).toBe(true);
    expect(await scrape(processes.api)).toContain('delivery_agent_cost_limit_usd{org="acme"} 0.01');
  });

  it('count failures of workflow tasks and activities', async () => {
    const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
    const { workflow } = new Client({ connection });
    const common = { taskQueue: defaultTaskQueue, workflowExecutionTimeout: '60 s' } as const;
    await workflow.start('noSuchWorkflow', { ...common, workflowId: 'no-such-workflow' });
    const issue = { org: 'acme', product: 'hello', repo: 'acme/missing', requestId: 'one', payloadKey: 'missing' };
    await workflow.start('createIssue', { ...common, workflowId: 'missing-issue', args: [issue] });
    for (const name of ['temporal_workflow_task_execution_failed', 'temporal_activity_execution_failed'])
      await expect
        .poll(async () => (await scrape(processes.worker)).includes(`\n${name}{`), { message: name })
        .toBe(true);
    await connection.close();
  });

  it('include every metric and label of the alerts and dashboards', async () => {
    const exposed = new Map<string, string[]>([['up', []]]);
    for (const replica of Object.values(processes))
      for (const [, name = '', labels = ''] of (await scrape(replica)).matchAll(/^(\w+)(?:\{(.*)\})? /gm))
        exposed.set(name, [...(exposed.get(name) ?? []), ...(labels.match(/\w+(?==")/g) ?? [])]);
    const alerts = listAlerts(await readAlertGroups()).map(({ expr }) => String(expr));
    const panels = listExpressions(await readDashboards());
    expect(Math.min(alerts.length, panels.length)).toBeGreaterThan(10);
    // Prometheus adds these to each series of a target.
    const ofTargets = ['job', 'namespace', 'component', 'instance'];
    for (const expression of [...alerts, ...panels]) {
      const { metrics, labels } = parseExpression(expression);
      expect(metrics.filter((name) => !exposed.has(name))).toEqual([]);
      const known = new Set([...ofTargets, ...metrics.flatMap((name) => exposed.get(name) ?? [])]);
      expect(
        labels.filter((label) => !known.has(label)),
        expression,
      ).toEqual([]);
    }
  });

  it('have names and units as Prometheus expects, and no label of a name that people choose except the org', async () => {
    for (const replica of Object.values(processes)) {
      const metrics = await scrape(replica);
      // The names of the libraries' metrics are theirs.
      expect((await lintMetrics(metrics)).filter((line) => line.startsWith('delivery_'))).toEqual([]);
      expect(await lintMetrics(metrics)).not.toContainEqual(expect.stringContaining('error'));
      const named = metrics
        .split('\n')
        .filter((line) => /^delivery_\w+\{.*"(hello|change|root@example\.com)/.test(line));
      expect(named).toEqual([]);
    }
  });
});
