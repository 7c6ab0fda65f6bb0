import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { PrometheusRuleGroup } from '../../src/kinds/prometheus-operator.ts';
import { describeWithPrometheus } from '../support/servers/prometheus.ts';
import { runPromtool } from '../support/servers/promtool.ts';
import { listAlerts, readAlertGroups } from './read-alerts.ts';

type Series = Record<string, string>;
/** Series per minute in the notation of promtool, with which an alert fires after an hour, and with which it does not. */
type Case = { fires: Series; isQuiet: Series; labels?: Record<string, string> };

const job = 'job="service-metrics"';
const webhooks = 'method="POST", route="/api/v1/webhooks/codehost"';
const duration = 'delivery_http_request_duration_seconds';
const operation = 'delivery_store_operation_duration_seconds';
const process = `${job}, component="api", instance="10.0.0.1:9090"`;
const processLabels = { job: 'service-metrics', component: 'api', instance: '10.0.0.1:9090' };
const queue = `${job}, task_queue="delivery", task_type="activity"`;
const queueLabels = { task_queue: 'delivery', task_type: 'activity' };
const route = 'method="GET", route="/api/v1/orgs/:org"';
const routing = `${job}, workflow_type="routeDelivery"`;
const activity = `${job}, activity_type="tagRelease"`;
const org = `${job}, org="acme"`;

/** A histogram with one bucket, above which `slow` of 60 events per minute are. */
const histogram = (name: string, labels: string, bound: string, slow: number): Series => ({
  [`${name}_bucket{${labels}, le="${bound}"}`]: `0+${60 - slow}x60`,
  [`${name}_bucket{${labels}, le="${Number(bound) * 4}"}`]: '0+60x60',
  [`${name}_bucket{${labels}, le="+Inf"}`]: '0+60x60',
  [`${name}_count{${labels}}`]: '0+60x60',
});

const cases: Record<string, Case> = {
  DeliveryApiDown: {
    fires: { [`up{${process}}`]: '1x10 0x50', [`up{${job}, component="main", instance="b"}`]: '1x60' },
    isQuiet: { [`up{${process}}`]: '1x60', [`up{${job}, component="api", instance="b"}`]: '0x60' },
  },
  DeliveryProcessDown: {
    fires: { [`up{${process}}`]: '1x50 0x10' },
    isQuiet: { [`up{${process}}`]: '1x58 0x2' },
    labels: processLabels,
  },
  DeliveryProcessRestarting: {
    fires: { [`process_start_time_seconds{${process}}`]: '100x40 200x5 300x5 400x10' },
    isQuiet: { [`process_start_time_seconds{${process}}`]: '100x10 200x5 300x5 400x20 500x20' },
    labels: processLabels,
  },
  DeliveryProcessBlocked: {
    fires: { [`nodejs_eventloop_lag_p99_seconds{${process}}`]: '0.01x40 2x20' },
    isQuiet: { [`nodejs_eventloop_lag_p99_seconds{${process}}`]: '0.01x55 2x5' },
    labels: processLabels,
  },
  DeliveryMetricsIncomplete: {
    fires: { [`delivery_metrics_readings_failed_total{${job}, source="task-queues"}`]: '0x30 0+2x30' },
    isQuiet: { [`delivery_metrics_readings_failed_total{${job}, source="task-queues"}`]: '0x50 1 1x20' },
    labels: { source: 'task-queues' },
  },
  DeliveryApiErrors: {
    fires: {
      [`${duration}_count{${job}, ${route}, status="200"}`]: '0+90x60',
      [`${duration}_count{${job}, ${route}, status="500"}`]: '0x40 0+10x20',
    },
    isQuiet: {
      [`${duration}_count{${job}, ${route}, status="200"}`]: '0+90x60',
      [`${duration}_count{${job}, ${route}, status="500"}`]: '0+2x60',
      [`${duration}_count{${job}, ${route}, status="404"}`]: '0+50x60',
      [`${duration}_count{${job}, method="GET", route="/readyz", status="503"}`]: '0+50x60',
    },
  },
  DeliveryApiSlow: {
    fires: histogram(`${duration}`, `${job}, ${route}, status="200"`, '2.5', 6),
    isQuiet: histogram(`${duration}`, `${job}, ${route}, status="200"`, '1', 2),
  },
  DeliveryTaskQueueWithoutWorkers: {
    fires: { [`delivery_task_queue_tasks{${queue}}`]: '3x60', [`delivery_task_queue_pollers{${queue}}`]: '1x40 0x20' },
    isQuiet: { [`delivery_task_queue_tasks{${queue}}`]: '0x60', [`delivery_task_queue_pollers{${queue}}`]: '0x60' },
    labels: queueLabels,
  },
  DeliveryTaskQueueBacklog: {
    // Two API processes report the same queue.
    fires: {
      [`delivery_task_queue_oldest_task_seconds{${queue}, pod="a"}`]: '0x40 150+60x20',
      [`delivery_task_queue_oldest_task_seconds{${queue}, pod="b"}`]: '0x40 150+60x20',
    },
    isQuiet: { [`delivery_task_queue_oldest_task_seconds{${queue}}`]: '100x60' },
    labels: queueLabels,
  },
  DeliveryWorkflowTaskFailures: {
    fires: {
      [`temporal_workflow_task_execution_failed{${job}, workflow_type="manageZone", failure_reason="NonDeterminismError"}`]:
        '0x40 0+1x20',
    },
    isQuiet: { [`temporal_workflow_task_execution_failed{${job}, workflow_type="manageZone"}`]: '0x50 1x20' },
    labels: { workflow_type: 'manageZone' },
  },
  DeliveryActivityFailures: {
    fires: {
      [`temporal_activity_execution_failed{${activity}}`]: '0x20 0+1x40',
      [`temporal_activity_execution_latency_seconds_count{${activity}}`]: '0x20 0+1x40',
    },
    isQuiet: {
      [`temporal_activity_execution_failed{${activity}}`]: '0+1x60',
      [`temporal_activity_execution_latency_seconds_count{${activity}}`]: '0+5x60',
      // Two failures in an hour are all attempts, and still nothing to be woken for.
      [`temporal_activity_execution_failed{${job}, activity_type="buildImage"}`]: '0x50 1 2x10',
      [`temporal_activity_execution_latency_seconds_count{${job}, activity_type="buildImage"}`]: '0x50 1 2x10',
    },
    labels: { activity_type: 'tagRelease' },
  },
  DeliveryWebhooksStuck: {
    fires: { [`delivery_webhooks_late{${job}}`]: '0x50 4x10' },
    isQuiet: { [`delivery_webhooks_late{${job}}`]: '0x57 4x3' },
  },
  DeliveryWebhooksSlow: {
    fires: histogram('temporal_workflow_endtoend_latency_seconds', routing, '30', 6),
    isQuiet: {
      ...histogram('temporal_workflow_endtoend_latency_seconds', routing, '5', 6),
      ...histogram('temporal_workflow_endtoend_latency_seconds', `${job}, workflow_type="manageZone"`, '600', 60),
    },
  },
  DeliveryWebhookErrors: {
    fires: {
      [`${duration}_count{${job}, ${webhooks}, status="202"}`]: '0+8x60',
      [`${duration}_count{${job}, ${webhooks}, status="503"}`]: '0x40 0+2x20',
    },
    isQuiet: {
      [`${duration}_count{${job}, ${webhooks}, status="202"}`]: '0+8x60',
      [`${duration}_count{${job}, ${webhooks}, status="401"}`]: '0+80x60',
      [`${duration}_count{${job}, ${route}, status="503"}`]: '0+80x60',
    },
  },
  DeliveryStoreErrors: {
    fires: {
      [`${operation}_count{${job}, operation="list", kind="Product", outcome="ok"}`]: '0+90x60',
      [`${operation}_count{${job}, operation="list", kind="Product", outcome="failed"}`]: '0x40 0+3x20',
    },
    isQuiet: {
      [`${operation}_count{${job}, operation="list", kind="Product", outcome="ok"}`]: '0+90x60',
      [`${operation}_count{${job}, operation="get", kind="Product", outcome="refused"}`]: '0+90x60',
    },
  },
  DeliveryStoreSlow: {
    fires: histogram(operation, `${job}, operation="list", kind="Product", consistency="strong"`, '1', 6),
    isQuiet: {
      ...histogram(operation, `${job}, operation="list", kind="Product", consistency="strong"`, '0.1', 6),
      ...histogram(operation, `${job}, operation="deleteNamespace", kind="Namespace", consistency="strong"`, '5', 60),
    },
    labels: { operation: 'list' },
  },
  DeliveryAgentBudgetLow: {
    fires: { [`delivery_agent_cost_today_usd{${org}}`]: '4.5x60', [`delivery_agent_cost_limit_usd{${org}}`]: '5x60' },
    isQuiet: {
      [`delivery_agent_cost_today_usd{${org}}`]: '5x60',
      [`delivery_agent_cost_limit_usd{${org}}`]: '5x60',
      [`delivery_agent_cost_today_usd{${job}, org="free"}`]: '500x60',
    },
    labels: { org: 'acme' },
  },
  DeliveryAgentBudgetExhausted: {
    fires: { [`delivery_agent_cost_today_usd{${org}}`]: '5.2x60', [`delivery_agent_cost_limit_usd{${org}}`]: '5x60' },
    isQuiet: {
      [`delivery_agent_cost_today_usd{${org}}`]: '4.9x60',
      [`delivery_agent_cost_limit_usd{${org}}`]: '5x60',
      [`delivery_agent_cost_today_usd{${job}, org="free"}`]: '500x60',
    },
    labels: { org: 'acme' },
  },
  DeliveryBackupFailed: {
    fires: { [`delivery_backup_failed{${job}, pod="a"}`]: '0x59 1x10' },
    isQuiet: { [`delivery_backup_failed{${job}}`]: '1x50 0x20' },
  },
  DeliveryBackupOverdue: {
    fires: { [`delivery_backup_overdue_seconds{${job}}`]: '1+60x70' },
    isQuiet: { [`delivery_backup_overdue_seconds{${job}}`]: '0x30 1+60x40' },
  },
};

/** The texts contain values, which the cases do not repeat. */
const withoutTexts = (groups: PrometheusRuleGroup[]): PrometheusRuleGroup[] =>
  groups.map((group) => ({ ...group, rules: group.rules.map(({ annotations: _texts, ...rule }) => rule) }));

const toTest = (alertname: string, series: Series, expected: object[]): object => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: [{ eval_time: '60m', alertname, exp_alerts: expected }],
});

describeWithPrometheus('the alerts about the service', () => {
  it('are rules that Prometheus accepts', async () => {
    expect(await runPromtool('check', { groups: await readAlertGroups() })).toMatchObject({ ok: true });
  });

  it('have a case here each', async () => {
    expect(Object.keys(cases)).toEqual(listAlerts(await readAlertGroups()).map(({ alert }) => alert));
  });

  it.each(Object.entries(cases))('%s fires for what is wrong, and only then', async (alert, one) => {
    const groups = await readAlertGroups();
    const severity = listAlerts(groups).find((candidate) => candidate.alert === alert)?.labels?.['severity'];
    const tests = [
      toTest(alert, one.fires, [{ exp_labels: { ...one.labels, severity } }]),
      toTest(alert, one.isQuiet, []),
    ];
    const test = { evaluation_interval: '1m', tests };
    const tested = await runPromtool('test', { groups: withoutTexts(groups), test });
    expect(tested.ok, tested.output).toBe(true);
  });

  it('explain themselves, and link to the section of the runbooks that has their name', async () => {
    const runbooks = await readFile(new URL('../../deploy/RUNBOOKS.md', import.meta.url), 'utf8');
    const alerts = listAlerts(await readAlertGroups());
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations, alert).toEqual({
        summary: expect.stringMatching(/^[A-Z].*[^.]$/),
        description: expect.stringMatching(/\.$/),
        runbook_url: `deploy/RUNBOOKS.md#${alert.toLowerCase()}`,
      });
      expect(['critical', 'warning', 'info']).toContain(labels?.['severity']);
    }
    const sections = [...runbooks.matchAll(/^## (\w+)\n([^#]*(?:#[^#\n][^#]*)*)/gm)];
    expect(sections.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
    for (const [, name, text] of sections)
      for (const part of ['Meaning', 'Look', 'Fix']) expect(text, name).toContain(`**${part}.**`);
  });
});
