import { Context } from '@temporalio/activity';
import type { Activities } from '../../../activities/index.ts';
import type { ZoneFacts } from '../../../activities/environments/environment-activities.ts';
import type { ZoneStatePatch } from '../../../src/rules/environments/zone-state.ts';
import type { ReleaseStatus, ReleaseZone, ZonePhase } from '../../../src/rules/releases/kinds.ts';
import { patchReleaseZone } from '../../../src/rules/releases/release-status.ts';
import {
  type ManualPromotion,
  type PromotionRequest,
  manageZoneStart,
} from '../../../workflows/environments/messages.ts';
import { shortTaskTimeout } from './wait-until-processed.ts';
import type { WorkflowHarness } from './workflow-harness.ts';

/** Fakes the store and the cluster for one zone; every activity succeeds unless a test changes it. */
export class ZoneFixture {
  readonly activities: Partial<Activities>;
  /** Every recorded phase, as `<version> <phase>`. */
  readonly phaseHistory: string[] = [];
  running: ZoneFacts['running'];
  requiresApproval: boolean;
  /** The last recorded freeze, hold, settings and removal. */
  readonly state: ZoneStatePatch = {};
  readonly #releases = new Map<string, ReleaseStatus>();

  constructor({ requiresApproval = false }: { requiresApproval?: boolean } = {}) {
    this.requiresApproval = requiresApproval;
    this.activities = {
      readZone: async () => ({ requiresApproval: this.requiresApproval, running: this.running }),
      recordZoneState: async ({ patch }) => void Object.assign(this.state, patch),
      writeZoneSettings: async () => ({
        outcome: 'promoted',
        digest: 'sha256:any',
        gitopsCommit: 'g1',
        mergedAt: new Date().toISOString(),
      }),
      recordPromotion: async ({ release, zone, patch }) => {
        const status = this.#releases.get(release) ?? { phase: 'Promoting', zones: [] };
        this.#releases.set(release, patchReleaseZone(status, zone, patch));
        const version = release.replace('hello-', '');
        if (patch.phase) this.phaseHistory.push(`${version} ${patch.phase}`);
        if (patch.phase === 'Healthy') this.running = { release, version };
      },
      writePromotion: async () => ({ outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() }),
      closePromotionPullRequest: async () => {},
      waitForZoneHealth: async () => ({ outcome: 'healthy', healthyAt: new Date().toISOString() }),
      runSmokeCheck: async () => ({ outcome: 'passed', message: 'it answers', response: { url: 'http://hello-rc/' } }),
      removeZone: async () => {},
      isZoneDesired: async () => false,
      captureScreenshot: async () => ({ outcome: 'taken' }),
    };
  }

  /** Returns the entry of a version for a zone. */
  findReleaseZone(version: string, zone = 'hello-rc'): ReleaseZone | undefined {
    return this.#releases.get(`hello-${version}`)?.zones.find(({ name }) => name === zone);
  }

  phase(version: string, zone?: string): ZonePhase | undefined {
    return this.findReleaseZone(version, zone)?.phase;
  }
}

/** An id that no workflow has: a finished Release receives no outcome. */
export const noReplyId = 'promote-release/none';

export const buildPromotionRequest = (version: string, replyToWorkflowId = noReplyId): PromotionRequest => ({
  release: `hello-${version}`,
  version,
  commit: `commit-of-${version}`,
  digest: `sha256:${version}`,
  replyToWorkflowId,
});

export const buildManualPromotion = (
  version: string,
  more: { overrideFreeze?: boolean; note?: string } = {},
): ManualPromotion => ({ request: buildPromotionRequest(version, noReplyId), by: 'bob', role: 'member', ...more });

/** Keeps these versions unhealthy until the test calls `letHealthy`. */
export function holdUnhealthy(zone: ZoneFixture, ...versions: string[]): { letHealthy: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  zone.activities.waitForZoneHealth = async ({ digest }) => {
    if (versions.some((version) => digest === `sha256:${version}`))
      await Promise.race([promise, Context.current().cancelled]);
    return { outcome: 'healthy', healthyAt: new Date().toISOString() };
  };
  return { letHealthy: resolve };
}

export const startZoneWorkflow = async (harness: WorkflowHarness, zone = 'hello-rc') => {
  return await harness.start(manageZoneStart({ org: harness.taskQueue, product: 'hello', zone }));
};

/** Starts a zone that sees signals also while one of its local activities is held open. */
export async function startAttentiveZone(harness: WorkflowHarness) {
  const { type, options } = manageZoneStart({ org: harness.taskQueue, product: 'hello', zone: 'hello-rc' });
  return await harness.start({ type, options: Object.assign(options, { workflowTaskTimeout: shortTaskTimeout }) });
}

/** Holds an activity open until the test opens it. */
export function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
