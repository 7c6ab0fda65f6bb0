import type { DemoResult } from './demo-options.ts';

/** Returns the object that `--json` prints. `guidance` is present only when a step waits for it. */
export function summarizeDemo({ run, release, guidance }: DemoResult) {
  return {
    run: run.name,
    pullRequest: run.status.pullRequest?.url ?? null,
    mergeCommit: run.status.mergeCommit ?? null,
    version: release?.spec.version ?? null,
    digest: release?.status.digest ?? null,
    zones: (release?.status.zones ?? []).map(({ name, address, phase, startedAt, healthyAt, verifiedAt }) => ({
      name,
      address: address ?? null,
      phase,
      startedAt: startedAt ?? null,
      healthyAt: healthyAt ?? null,
      verifiedAt: verifiedAt ?? null,
    })),
    ...(guidance && { guidance }),
  };
}
