import type { WorkflowHandle } from '@temporalio/client';
import type { Activities } from '../../../activities/index.ts';
import { createSchedulingActivities } from '../../../activities/scheduling/scheduling-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import {
  AgentWorkflowKind,
  type AgentWorkflowSpec,
  type AgentWorkflowStatus,
} from '../../../src/rules/agents/kinds.ts';
import { RestoreKind, type RestoreStatus } from '../../../src/rules/backups/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import { workflowScheduleAnnotations, orgScheduleAnnotations } from '../../../src/rules/scheduling/judge-schedule.ts';
import { openMemoryStore } from '../open-test-store.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  runScheduleStart,
  type RunScheduleInput,
  scheduleChangedSignal,
} from '../../../workflows/scheduling/messages.ts';
import { eventually } from './with-workflow-harness.ts';
import type { WorkflowHarness } from './workflow-harness.ts';

const agentWorkflow = 'upkeep';
const zones = [{ name: 'any-rc', promotionPolicy: 'automatic' as const }];

/** Provides an org with one AgentWorkflow, Products and a clock that the test sets; started runs finish immediately. */
export class ScheduleFixture {
  /** The activities' clock, which moves only when the test sets it. */
  now: string;
  org: string;
  readonly activities: Partial<Activities>;
  /** `<product> <time>` of each run, in the order of their starts. */
  readonly startedRuns: string[] = [];
  readonly #store = openMemoryStore();
  readonly #createdAt: string;
  readonly #workflows: string[] = [];
  /** The clock at the loop's last read of its schedule, and at its last read that it has fully processed. */
  #readAt: string | undefined;
  #recordedAt: string | undefined;

  constructor(org: string, createdAt: string) {
    this.org = org;
    this.#createdAt = createdAt;
    this.now = createdAt;
    // The store uses the machine's clock for creation times, so they are replaced by the test's clock.
    const find: Store['find'] = async (kind, ref) => {
      const found = await this.#store.find(kind, ref);
      return found && { ...found, metadata: { ...found.metadata, creationTimestamp: this.#createdAt } };
    };
    const real = createSchedulingActivities({
      store: { ...this.#store, find },
      now: () => new Date(this.now),
      quotas: loadConfig({}).quotas,
    });
    this.activities = {
      readSchedule: async (input) => {
        this.#readAt = this.now;
        const { retryAfterMs, ...plan } = await real.readSchedule(input);
        return retryAfterMs === undefined ? plan : { ...plan, retryAfterMs: 50 };
      },
      recordSchedule: async (input) => {
        await real.recordSchedule(input);
        this.#recordedAt = this.#readAt;
      },
      openRun: async ({ workflowId }) => {
        this.#workflows.push(workflowId);
        this.startedRuns.push(workflowId.split('/').slice(3).join(' ').replace(':00.000Z', 'Z'));
        return { steps: [], roles: {}, status: createRunStatus([], this.now) };
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

  /** Writes the setting like the API. */
  async setEnabled(enabled: boolean, timeZone = ''): Promise<void> {
    const org = await this.#store.get(OrganizationKind, { namespace: systemNamespace, name: this.org });
    const scheduling = { enabled, timeZone };
    const annotations = orgScheduleAnnotations(org, scheduling, new Date(this.now));
    await this.#store.replace(OrganizationKind, {
      ...org,
      metadata: { ...org.metadata, annotations },
      spec: { ...org.spec, scheduling },
    });
  }

  async updateSpec(spec: Partial<AgentWorkflowSpec>): Promise<void> {
    const current = await this.#store.get(AgentWorkflowKind, this.#ref(agentWorkflow));
    const wanted = { ...current.spec, ...spec };
    const annotations = workflowScheduleAnnotations(current, wanted, new Date(this.now));
    await this.#store.replace(AgentWorkflowKind, {
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: wanted,
    });
  }

  async setRestorePhase(phase: RestoreStatus['phase']): Promise<void> {
    const metadata = { namespace: systemNamespace, name: 'restore-1' };
    const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
    if (!(await this.#store.find(RestoreKind, metadata))) await this.#store.create(RestoreKind, { metadata, spec });
    await this.#store.updateStatus(RestoreKind, metadata, () => ({ phase, startedAt: this.#createdAt }));
  }

  deleteAgentWorkflow = async (): Promise<void> =>
    await this.#store.delete(AgentWorkflowKind, this.#ref(agentWorkflow));
  deleteOrg = async (): Promise<void> =>
    await this.#store.delete(OrganizationKind, { namespace: systemNamespace, name: this.org });

  status = async (): Promise<AgentWorkflowStatus | undefined> =>
    (await this.#store.get(AgentWorkflowKind, this.#ref(agentWorkflow))).status;

  /** Starts the loop; the handle has no run id, so it follows continue-as-new. */
  async start(harness: WorkflowHarness, intervals?: RunScheduleInput['intervals']): Promise<WorkflowHandle> {
    const { workflowId } = await harness.start(
      runScheduleStart({ org: this.org, agentWorkflow, ...(intervals && { intervals }) }),
    );
    this.#workflows.push(workflowId);
    return harness.client.workflow.getHandle(workflowId);
  }

  /** Sets the clock and waits until the loop has processed the new time. */
  async setTime(now: string, loop: WorkflowHandle): Promise<void> {
    this.now = now;
    await loop.signal(scheduleChangedSignal);
    await eventually(() => this.#recordedAt).toBe(now);
  }

  /** Waits until the loop sleeps or has finished, and all runs have finished. */
  async waitUntilIdle({ client }: WorkflowHarness): Promise<void> {
    const probes = this.#workflows.map((id) => async () => {
      const { raw } = await client.workflow.getHandle(id).describe();
      // An execution that has just continued as new may take up to a second to start.
      const hasStarted = Number(raw.workflowExecutionInfo?.historyLength) > 3;
      return hasStarted && !raw.pendingWorkflowTask;
    });
    for (const isIdle of probes) await eventually(isIdle).toBe(true);
  }

  close = async (): Promise<void> => await this.#store.close();

  #ref(name: string) {
    return { namespace: orgNamespace(this.org), name };
  }
}
