import type { Activities } from '../../../activities/index.ts';
import type { ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { promoteReleaseStart } from '../../../workflows/releases/messages.ts';
import type { WorkflowHarness } from './workflow-harness.ts';
import { ZoneFixture } from './zone-fixture.ts';

const zones = ['hello-rc', 'hello-prod'];

/** Fakes a Release with two zones, of which production requires approval. */
export class ReleaseFixture {
  readonly zones = new ZoneFixture();
  readonly activities: Partial<Activities>;
  status: ReleaseStatus = { phase: 'Building', zones: [] };

  constructor() {
    this.activities = {
      ...this.zones.activities,
      readZone: async ({ zone }) => ({ requiresApproval: zone === 'hello-prod', running: undefined }),
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', uid: 'u1', zones }),
      recordRelease: async ({ patch }) => void (this.status = { ...this.status, ...patch }),
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
      findReleaseTriggers: async () => [],
    };
  }
}

export async function startRelease(harness: WorkflowHarness, more: { workflowTaskTimeout?: '2 seconds' } = {}) {
  const input = { org: harness.taskQueue, product: 'hello', repo: 'acme/hello', commit: 'c0ffee', startedBy: 'ada' };
  const { type, options } = promoteReleaseStart(input);
  return await harness.start({ type, options: Object.assign(options, more) });
}
