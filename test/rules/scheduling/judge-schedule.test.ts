import { describe, expect, it } from 'vitest';
import type { AgentWorkflow, AgentWorkflowSpec } from '../../../src/rules/agents/kinds.ts';
import type { Organization } from '../../../src/rules/catalog/kinds.ts';
import {
  judgeSchedule,
  scheduleAnnotations,
  schedulingAnnotations,
} from '../../../src/rules/scheduling/judge-schedule.ts';

const daily = '0 9 * * *';
const metadata = { name: 'x', namespace: 'y', uid: 'u', resourceVersion: '1', generation: 1 };

/** An org and one AgentWorkflow of it, changed at times as routes change them. */
class World {
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

  turn(at: string, enabled: boolean, timeZone = ''): this {
    const wanted = { enabled, timeZone };
    const annotations = schedulingAnnotations(this.org, wanted, new Date(at));
    this.org = {
      ...this.org,
      metadata: { ...this.org.metadata, annotations },
      spec: { ...this.org.spec, scheduling: wanted },
    };
    return this;
  }

  change(at: string, spec: Partial<AgentWorkflowSpec>): this {
    const wanted = { ...this.workflow.spec, ...spec };
    const annotations = scheduleAnnotations(this.workflow, wanted, new Date(at));
    this.workflow = { ...this.workflow, metadata: { ...this.workflow.metadata, annotations }, spec: wanted };
    return this;
  }

  started(at: string): this {
    this.workflow = { ...this.workflow, status: { lastScheduledAt: at } };
    return this;
  }

  /** What is due and what is next, as day and hour. */
  at(now: string): { due?: string; next?: string } {
    const { due, next } = judgeSchedule(this.workflow, this.org, new Date(now)) ?? {};
    return { ...(due && { due: short(due) }), ...(next && { next: short(next) }) };
  }

  text(): string | undefined {
    return judgeSchedule(this.workflow, this.org, new Date('2026-01-10T00:00Z'))?.text;
  }
}
const short = (at: Date): string => at.toISOString().slice(8, 13);
const cron = (...schedules: string[]) => schedules.map((schedule) => ({ type: 'cron' as const, schedule }));

describe('what is due', () => {
  it('nothing before the first time after its creation', () => {
    expect(new World().turn('2026-01-05T08:30Z', true).at('2026-01-05T08:59Z')).toEqual({ next: '05T09' });
    const created = new World().change('2026-01-05T08:00Z', { triggers: cron('0 7 * * *') });
    expect(created.turn('2026-01-05T08:30Z', true).at('2026-01-05T08:31Z')).toEqual({ next: '06T07' });
  });

  it('a time at the moment that it comes, and not again once it was started', () => {
    const world = new World().turn('2026-01-05T08:30Z', true);
    expect(world.at('2026-01-05T09:00Z')).toEqual({ due: '05T09', next: '06T09' });
    expect(world.started('2026-01-05T09:00:00.000Z').at('2026-01-05T09:00Z')).toEqual({ next: '06T09' });
  });

  it('one time after downtime, the last', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    expect(world.at('2026-01-08T12:00Z')).toEqual({ due: '08T09', next: '09T09' });
  });

  it('when scheduling is turned on for the first time: what has passed since its creation', () => {
    expect(new World().turn('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({
      due: '07T09',
      next: '08T09',
    });
    const named = new World()
      .turn('2026-01-06T00:00Z', false, 'Asia/Tokyo')
      .turn('2026-01-07T12:00Z', true, 'Asia/Tokyo');
    expect(named.at('2026-01-07T12:00Z')).toEqual({ due: '07T00', next: '08T00' });
    const changed = new World().change('2026-01-07T11:00Z', { triggers: cron('0 10 * * *') });
    expect(changed.turn('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({ due: '07T10', next: '08T10' });
  });

  it('nothing when it is turned on again, nor what passed while it was off', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    world.turn('2026-01-05T10:00Z', false);
    expect(world.at('2026-01-06T09:00Z')).toEqual({});
    expect(world.turn('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({ next: '08T09' });
    expect(world.at('2026-01-08T09:30Z')).toEqual({ due: '08T09', next: '09T09' });
    const never = new World().turn('2026-01-05T08:30Z', true).turn('2026-01-05T08:31Z', false);
    expect(never.turn('2026-01-07T12:00Z', true).at('2026-01-07T12:00Z')).toEqual({ next: '08T09' });
  });

  it('still what was missed, when what is on is turned on once more', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    expect(world.turn('2026-01-06T12:00Z', true).at('2026-01-06T12:00Z')).toEqual({ due: '06T09', next: '07T09' });
  });

  it('nothing of a zone or a schedule that was not there yet', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    world.change('2026-01-05T18:00Z', { triggers: cron(daily, '0 17 * * *') });
    expect(world.at('2026-01-05T18:00Z')).toEqual({ next: '06T09' });
    expect(world.turn('2026-01-05T20:00Z', true, 'America/New_York').at('2026-01-05T20:00Z')).toEqual({
      next: '05T22',
    });
    expect(world.at('2026-01-05T23:00Z')).toEqual({ due: '05T22', next: '06T14' });
  });

  it('nothing of an AgentWorkflow that is not enabled, or was not', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).change('2026-01-05T08:40Z', { enabled: false });
    expect(world.at('2026-01-06T09:00Z')).toEqual({});
    expect(world.change('2026-01-06T12:00Z', { enabled: true }).at('2026-01-06T12:00Z')).toEqual({ next: '07T09' });
  });

  it('what was missed, when something else of the AgentWorkflow has changed since', () => {
    const world = new World().turn('2026-01-05T08:30Z', true).started('2026-01-05T09:00:00.000Z');
    world.change('2026-01-06T10:00Z', { limits: { costUsdPerRun: 1 } });
    expect(world.at('2026-01-06T12:00Z')).toEqual({ due: '06T09', next: '07T09' });
  });
});

it('says what the schedule is, and what keeps it from running', () => {
  expect(new World().text()).toBe('0 9 * * * (UTC); scheduling is off in this org');
  const on = new World()
    .turn('2026-01-05T08:30Z', true, 'Africa/Cairo')
    .change('2026-01-06T00:00Z', { triggers: cron(daily, '0 17 * * 5') });
  expect(on.text()).toBe('0 9 * * * and 0 17 * * 5 (Africa/Cairo)');
  expect(on.change('2026-01-06T00:00Z', { enabled: false }).text()).toMatch(/; this AgentWorkflow is not enabled$/);
  expect(on.change('2026-01-06T00:00Z', { triggers: [] }).text()).toBeUndefined();
});
