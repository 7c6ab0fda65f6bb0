import type { WorkflowHandle } from '@temporalio/client';
import type { Activities } from '../../activities/index.ts';
import { createSchedulingActivities } from '../../activities/scheduling.ts';
import { AgentWorkflowKind, type AgentWorkflowSpec, type AgentWorkflowStatus } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { newRunStatus } from '../../src/rules/changes/run-status.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { scheduleAnnotations, schedulingAnnotations } from '../../src/rules/scheduling/judge-schedule.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { keepScheduleId, type KeepScheduleInput, scheduleChanged } from '../../workflows/scheduling/messages.ts';
import { eventually } from './on-temporal.ts';
import type { WorkflowWorld } from './workflow-world.ts';

const agentWorkflow = 'upkeep';
const zones = [{ name: 'any-rc', arrival: 'automatic' as const }];

/** An org with one AgentWorkflow, Products and a clock that a test sets; what its schedule starts ends at once. */
export class ASchedule {
  /** What the clock of the activities shows: it stands still between what a test sets it to. */
  now: string;
  org: string;
  readonly activities: Partial<Activities>;
  /** `<product> <time>` of each run, in the order of their starts. */
  readonly runs: string[] = [];
  readonly #store = openSqliteStore({ file: ':memory:' });
  readonly #createdAt: string;
  readonly #workflows: string[] = [];
  /** What the clock showed when the loop last read its schedule, and when it had last done all that this asked for. */
  #readAt: string | undefined;
  #doneAt: string | undefined;

  constructor(org: string, createdAt: string) {
    this.org = org;
    this.#createdAt = createdAt;
    this.now = createdAt;
    // The store takes its times from the machine's clock: only those are set back.
    const find: Store['find'] = async (kind, ref) => {
      const found = await this.#store.find(kind, ref);
      return found && { ...found, metadata: { ...found.metadata, creationTimestamp: this.#createdAt } };
    };
    const real = createSchedulingActivities({ store: { ...this.#store, find }, now: () => new Date(this.now) });
    this.activities = {
      readSchedule: async (input) => {
        this.#readAt = this.now;
        return await real.readSchedule(input);
      },
      recordSchedule: async (input) => {
        await real.recordSchedule(input);
        this.#doneAt = this.#readAt;
      },
      openRun: async ({ workflowId }) => {
        this.#workflows.push(workflowId);
        this.runs.push(workflowId.split('/').slice(3).join(' ').replace(':00.000Z', 'Z'));
        return { steps: [], roles: {}, status: newRunStatus([], this.now) };
      },
      recordRun: async () => {},
    };
  }

  async create(schedules: string[], products: string[] = ['hello']): Promise<this> {
    const metadata = { namespace: systemNamespace, name: this.org };
    await this.#store.create(OrganizationKind, {
      metadata,
      spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
    });
    const triggers = schedules.map((schedule) => ({ type: 'cron' as const, schedule }));
    await this.#store.create(AgentWorkflowKind, {
      metadata: this.#ref(agentWorkflow),
      spec: { enabled: true, triggers, steps: [] },
    });
    for (const product of products) await this.addProduct(product, [`acme/${product}`]);
    return this;
  }

  async addProduct(name: string, repos: string[]): Promise<void> {
    await this.#store.create(ProductKind, { metadata: this.#ref(name), spec: { repos, delivery: { zones } } });
  }

  /** As the route writes it. */
  async turn(enabled: boolean, timeZone = ''): Promise<void> {
    const org = await this.#store.get(OrganizationKind, { namespace: systemNamespace, name: this.org });
    const scheduling = { enabled, timeZone };
    const annotations = schedulingAnnotations(org, scheduling, new Date(this.now));
    await this.#store.replace(OrganizationKind, {
      ...org,
      metadata: { ...org.metadata, annotations },
      spec: { ...org.spec, scheduling },
    });
  }

  async change(spec: Partial<AgentWorkflowSpec>): Promise<void> {
    const current = await this.#store.get(AgentWorkflowKind, this.#ref(agentWorkflow));
    const wanted = { ...current.spec, ...spec };
    const annotations = scheduleAnnotations(current, wanted, new Date(this.now));
    await this.#store.replace(AgentWorkflowKind, {
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: wanted,
    });
  }

  deleteAgentWorkflow = async (): Promise<void> =>
    await this.#store.delete(AgentWorkflowKind, this.#ref(agentWorkflow));
  deleteOrg = async (): Promise<void> =>
    await this.#store.delete(OrganizationKind, { namespace: systemNamespace, name: this.org });

  status = async (): Promise<AgentWorkflowStatus | undefined> =>
    (await this.#store.get(AgentWorkflowKind, this.#ref(agentWorkflow))).status;

  /** Starts the loop; the handle finds it also when it has gone on as new. */
  async start(world: WorkflowWorld, pace?: KeepScheduleInput['pace']): Promise<WorkflowHandle> {
    const input: KeepScheduleInput = { org: this.org, agentWorkflow, ...(pace && { pace }) };
    const { workflowId } = await world.start('keepSchedule', input, { workflowId: keepScheduleId(input) });
    this.#workflows.push(workflowId);
    return world.client.workflow.getHandle(workflowId);
  }

  /** Sets the clock and has the loop do what it asks for. */
  async at(now: string, loop: WorkflowHandle): Promise<void> {
    this.now = now;
    await loop.signal(scheduleChanged);
    await eventually(() => this.#doneAt).toBe(now);
  }

  /** Returns once nothing is under way: the loop sleeps or has ended, and so have the runs. */
  async rest({ client }: WorkflowWorld): Promise<void> {
    const underWay = this.#workflows.map((id) => async () => {
      const { raw } = await client.workflow.getHandle(id).describe();
      // What has just gone on as new may take up to a second to begin.
      const hasBegun = Number(raw.workflowExecutionInfo?.historyLength) > 3;
      return hasBegun && !raw.pendingWorkflowTask;
    });
    for (const look of underWay) await eventually(look).toBe(true);
  }

  close = async (): Promise<void> => await this.#store.close();

  #ref(name: string) {
    return { namespace: orgNamespace(this.org), name };
  }
}
