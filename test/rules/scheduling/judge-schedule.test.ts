import { describe, expect, it } from 'vitest';
import type { AgentWorkflow, AgentWorkflowSpec } from '../../../src/rules/agents/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';
import {
  judgeSchedule,
  workflowScheduleAnnotations,
  orgScheduleAnnotations,
} from '../../../src/rules/scheduling/judge-schedule.ts';

const daily = '0 9 * * *';
const metadata = { name: 'x', namespace: 'y', uid: 'u', resourceVersion: '1', generation: 1 };

/** An org with one AgentWorkflow, whose changes set the same annotations as the API does. */
class ScheduleState {
  org: Organization = {
    apiVersion: '',
    kind: '',
    metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  };
  workflow: AgentWorkflow = {
    apiVersion: '',
    kind: '',
    metadata: { ...metadata, creationTimestamp: '2026-01-05T08:00:00Z' },
    spec: { enabled: true, triggers: [{ type: 'cron', schedule: daily }], steps: [] },
  };

  setScheduling(at: string, enabled: boolean, timeZone = ''): this {
    const scheduling = { enabled, timeZone };
    const annotations = orgScheduleAnnotations(this.org, scheduling, new Date(at));
    this.org = {
      ...this.org,
      metadata: { ...this.org.metadata, annotations },
      spec: { ...this.org.spec, scheduling },
    };
    return this;
  }

  change(at: string, spec: Partial<AgentWorkflowSpec>): this {
    const changed = { ...this.workflow.spec, ...spec };
    const annotations = workflowScheduleAnnotations(this.workflow, changed, new Date(at));
    this.workflow = { ...this.workflow, metadata: { ...this.workflow.metadata, annotations }, spec: changed };
    return this;
  }

  started(at: string): this {
    this.workflow = { ...this.workflow, status: { lastScheduledAt: at } };
    return this;
  }

  /** Returns the due time and the next time, as day and hour. */
  at(now: string): { due?: string; next?: string } {
    const { dueAt, nextAt } = judgeSchedule(this.workflow, this.org, new Date(now)) ?? {};
    return { ...(dueAt && { due: short(dueAt) }), ...(nextAt && { next: short(nextAt) }) };
  }

  text(): string | undefined {
    return judgeSchedule(this.workflow, this.org, new Date('2026-01-10T00:00Z'))?.description;
  }
}
const short = (at: Date): string => at.toISOString().slice(8, 13);
const cron = (...schedules: string[]) => schedules.map((schedule) => ({ type: 'cron' as const, schedule }));

describe('judgeSchedule', () => {
  it('has nothing due before the first time after the creation', () => {
    expect(new ScheduleState().setScheduling('2026-01-05T08:30Z', true).at('2026-01-05T08:59Z')).toEqual({
      next: '05T09',
    });
    const created = new ScheduleState().change('2026-01-05T08:00Z', { triggers: cron('0 7 * * *') });
    expect(created.setScheduling('2026-01-05T08:30Z', true).at('2026-01-05T08:31Z')).toEqual({ next: '06T07' });
  });

  it('has a time due at that instant, and not again after its start', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true);
    expect(state.at('2026-01-05T09:00Z')).toEqual({ due: '05T09', next: '06T09' });
    expect(state.started('2026-01-05T09:00:00.000Z').at('2026-01-05T09:00Z')).toEqual({ next: '06T09' });
  });

  it('has only the last time due after downtime', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    expect(state.at('2026-01-08T12:00Z')).toEqual({ due: '08T09', next: '09T09' });
  });

  it('has times since the creation due when scheduling is first enabled', () => {
    expect(new ScheduleState().setScheduling('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({
      due: '07T09',
      next: '08T09',
    });
    const named = new ScheduleState()
      .setScheduling('2026-01-06T00:00Z', false, 'Asia/Tokyo')
      .setScheduling('2026-01-07T12:00Z', true, 'Asia/Tokyo');
    expect(named.at('2026-01-07T12:00Z')).toEqual({ due: '07T00', next: '08T00' });
    const changed = new ScheduleState().change('2026-01-07T11:00Z', { triggers: cron('0 10 * * *') });
    expect(changed.setScheduling('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({
      due: '07T10',
      next: '08T10',
    });
  });

  it('skips times that passed while scheduling was off', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    state.setScheduling('2026-01-05T10:00Z', false);
    expect(state.at('2026-01-06T09:00Z')).toEqual({});
    expect(state.setScheduling('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({ next: '08T09' });
    expect(state.at('2026-01-08T09:30Z')).toEqual({ due: '08T09', next: '09T09' });
    const never = new ScheduleState()
      .setScheduling('2026-01-05T08:30Z', true)
      .setScheduling('2026-01-05T08:31Z', false);
    expect(never.setScheduling('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({ next: '08T09' });
  });

  it('keeps a missed time due when enabled scheduling is set again', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    expect(state.setScheduling('2026-01-06T12:00Z', true).at('2026-01-06T12:00Z')).toEqual({
      due: '06T09',
      next: '07T09',
    });
  });

  it('skips times from before a change of the time zone or the schedule', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    state.change('2026-01-05T18:00Z', { triggers: cron(daily, '0 17 * * *') });
    expect(state.at('2026-01-05T18:00Z')).toEqual({ next: '06T09' });
    expect(state.setScheduling('2026-01-05T20:00Z', true, 'America/New_York').at('2026-01-05T20:00Z')).toEqual({
      next: '05T22',
    });
    expect(state.at('2026-01-05T23:00Z')).toEqual({ due: '05T22', next: '06T14' });
  });

  it('skips times while the AgentWorkflow is not enabled', () => {
    const state = new ScheduleState()
      .setScheduling('2026-01-05T08:30Z', true)
      .change('2026-01-05T08:40Z', { enabled: false });
    expect(state.at('2026-01-06T09:00Z')).toEqual({});
    expect(state.change('2026-01-06T12:00Z', { enabled: true }).at('2026-01-06T12:00Z')).toEqual({ next: '07T09' });
  });

  it('has nothing due while the AgentWorkflow is rejected', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true);
    const conditions = withAcceptedCondition([], { rejection: 'No.', generation: 1, at: '2026-01-05T08:40:00.000Z' });
    // Such a schedule need not be one that can be evaluated.
    state.change('2026-01-05T08:40Z', { triggers: cron('0 9 * * whenever') });
    state.workflow = { ...state.workflow, status: { conditions } };
    expect(state.at('2026-01-06T09:00Z')).toEqual({});
    expect(state.text()).toBe('0 9 * * whenever (UTC); this AgentWorkflow is not valid');
  });

  it('keeps a missed time due after an unrelated change of the AgentWorkflow', () => {
    const state = new ScheduleState().setScheduling('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    state.change('2026-01-06T10:00Z', { limits: { costUsdPerRun: 1 } });
    expect(state.at('2026-01-06T12:00Z')).toEqual({ due: '06T09', next: '07T09' });
  });
});

it('describes the schedule and the reason why it is not active', () => {
  expect(new ScheduleState().text()).toBe('0 9 * * * (UTC); scheduling is off in this org');
  const on = new ScheduleState()
    .setScheduling('2026-01-05T08:30Z', true, 'Africa/Cairo')
    .change('2026-01-06T00:00Z', { triggers: cron(daily, '0 17 * * 5') });
  expect(on.text()).toBe('0 9 * * * and 0 17 * * 5 (Africa/Cairo)');
  expect(on.change('2026-01-06T00:00Z', { enabled: false }).text()).toMatch(/; this AgentWorkflow is not enabled$/);
  expect(on.change('2026-01-06T00:00Z', { triggers: [] }).text()).toBeUndefined();
});
