import { describe, expect, expectTypeOf, it } from 'vitest';
import { wakeSchedules } from '../../../src/reconcile/wake-schedules.ts';
import type { runSchedule } from '../../../workflows/index.ts';
import { runScheduleStart } from '../../../workflows/scheduling/messages.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

describe('runScheduleStart', () => {
  it('describes the loop of an AgentWorkflow', () => {
    const start = runScheduleStart({ org: 'acme', agentWorkflow: 'upkeep' });
    expect(describeStart(start)).toEqual({
      type: 'runSchedule',
      workflowId: 'run-schedule/acme/upkeep',
      conflictPolicy: 'USE_EXISTING',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', targetKind: 'schedule' },
      summary: 'Schedule of upkeep',
      details: 'Org **acme**, AgentWorkflow **upkeep**.',
    });
    expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof runSchedule>();
  });

  it('is what a saved schedule starts', async () => {
    const { temporal, starts } = captureStarts();
    await wakeSchedules(temporal, 'acme', ['upkeep', 'report']);
    expect(starts).toEqual(
      ['upkeep', 'report'].map((agentWorkflow) => {
        const { type, options } = runScheduleStart({ org: 'acme', agentWorkflow });
        return { type, options };
      }),
    );
  });
});
