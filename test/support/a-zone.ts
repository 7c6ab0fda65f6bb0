import type { Activities } from '../../activities/index.ts';
import type { ZoneFacts } from '../../activities/environments.ts';
import type { ZoneStatePatch } from '../../src/rules/environments/zone-state.ts';
import type { ReleaseStatus, ReleaseZone, ZonePhase } from '../../src/rules/releases/kinds.ts';
import { patchReleaseZone } from '../../src/rules/releases/release-status.ts';
import { type Arrival, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import type { WorkflowWorld } from './workflow-world.ts';

/** One zone with the Releases that come to it, where all goes well unless a test says otherwise. */
export class AZone {
  readonly activities: Partial<Activities>;
  /** Every phase written, as `<version> <phase>`. */
  readonly history: string[] = [];
  running: ZoneFacts['running'];
  asksApproval: boolean;
  /** What was written last of all that people decided about the zone. */
  readonly state: ZoneStatePatch = {};
  readonly #releases = new Map<string, ReleaseStatus>();

  constructor({ asksApproval = false }: { asksApproval?: boolean } = {}) {
    this.asksApproval = asksApproval;
    this.activities = {
      readZone: async () => ({ asksApproval: this.asksApproval, running: this.running }),
      recordZoneState: async ({ patch }) => void Object.assign(this.state, patch),
      writeZoneSettings: async () => ({
        outcome: 'promoted',
        digest: 'sha256:any',
        gitopsCommit: 'g1',
        mergedAt: new Date().toISOString(),
      }),
      recordZone: async ({ release, zone, patch }) => {
        const status = this.#releases.get(release) ?? { phase: 'Promoting', zones: [] };
        this.#releases.set(release, patchReleaseZone(status, zone, patch));
        const version = release.replace('hello-', '');
        if (patch.phase) this.history.push(`${version} ${patch.phase}`);
        if (patch.phase === 'Healthy') this.running = { release, version };
      },
      promoteInGitops: async () => ({ outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() }),
      awaitHealthy: async () => ({ outcome: 'healthy', healthyAt: new Date().toISOString() }),
      smokeCheck: async () => ({ outcome: 'passed', why: 'it answers', answer: { url: 'http://hello-rc/' } }),
      removeZone: async () => {},
      keepScreenshot: async () => ({ outcome: 'taken' }),
    };
  }

  /** How a version fares in a zone. */
  of(version: string, zone = 'hello-rc'): ReleaseZone | undefined {
    return this.#releases.get(`hello-${version}`)?.zones.find(({ name }) => name === zone);
  }

  phase(version: string, zone?: string): ZonePhase | undefined {
    return this.of(version, zone)?.phase;
  }
}

export const anArrival = (version: string, tell: string): Arrival => ({
  release: `hello-${version}`,
  version,
  commit: `commit-of-${version}`,
  digest: `sha256:${version}`,
  tell,
});

export const startKeeper = async (world: WorkflowWorld, zone = 'hello-rc') => {
  const input = { org: world.taskQueue, product: 'hello', zone };
  return await world.start('keepEnvironment', input, { workflowId: keepEnvironmentId(input) });
};
