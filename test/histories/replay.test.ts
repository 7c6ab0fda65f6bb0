import { glob, readFile } from 'node:fs/promises';
import { resources, tracing } from '@opentelemetry/sdk-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';
import { describe, expect, it } from 'vitest';
import * as workflows from '../../workflows/index.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { replayHistories, type RecordedHistory } from '../support/workflows/workflow-harness.ts';

const files = await Array.fromAsync(glob('*.json', { cwd: import.meta.dirname }));
const recorded = await Promise.all(
  files.map(async (name) => {
    const text = await readFile(new URL(name, import.meta.url), 'utf8');
    return { name, ...(JSON.parse(text) as Pick<RecordedHistory, 'workflowId' | 'history'>) };
  }),
);
const getType = ({ history }: Pick<RecordedHistory, 'history'>): string | null | undefined =>
  history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;

/** Returns the activities that a history schedules and the workflows that it starts. */
const listEffects = ({ history }: Pick<RecordedHistory, 'history'>): (string | null | undefined)[] =>
  (history.events ?? []).flatMap((event) => [
    event.activityTaskScheduledEventAttributes?.activityType?.name,
    event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name,
  ]);

describe('recorded histories', () => {
  it('exist for every workflow', () => {
    const types = new Set(recorded.map(getType));
    expect(Object.keys(workflows).filter((name) => !types.has(name))).toEqual([]);
  });

  it.each([
    ['deleteProduct', 'removeProductChart'],
    ['manageZone', 'takeScreenshot'],
    ['promoteRelease', 'manageZone'],
    ['reconcileDeliveries', 'routeDelivery'],
    ['restoreBackup', 'runSchedule'],
    ['runAgentWorkflow', 'promoteRelease'],
    ['runAgentWorkflow', 'resolveConflicts'],
    ['runSchedule', 'runAgentWorkflow'],
    ['scaffoldProduct', 'promoteRelease'],
    ['verifyDomain', 'sweepDns'],
  ])('include the call from %s to %s', (type, effect) => {
    const histories = recorded.filter((one) => getType(one) === type);
    expect(histories.flatMap(listEffects)).toContain(effect);
  });

  it.each(recorded)('replay: $name', async (one) => {
    await replayHistories([one]);
  });

  it('replay with the interceptors for tracing', async () => {
    const exporter = new tracing.InMemorySpanExporter();
    const resource = resources.emptyResource();
    const plugin = new OpenTelemetryPlugin({ resource, spanProcessor: new tracing.SimpleSpanProcessor(exporter) });
    const workflowBundle = await buildWorkflowBundle(() => {}, { traced: true });
    await replayHistories(recorded, { workflowBundle, plugins: [plugin] });
    // A replay must not export spans again that the first execution has exported.
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
