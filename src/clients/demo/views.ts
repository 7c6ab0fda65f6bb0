/** What the demo reads of the API's views. */
export type StripStage = {
  stage: string;
  label: string;
  colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
  detail?: string;
  zone?: string;
};

export type RunView = {
  name: string;
  release?: string;
  strip: StripStage[];
  status: {
    phase: string;
    pullRequest?: { number: number; url: string };
    mergeCommit?: string;
    failure?: { reason: string; fix: string };
    steps: { name: string; phase: string; verdict?: { summary: string }; waitingFor?: { what?: string } }[];
  };
};

export type ReleaseZoneView = {
  name: string;
  phase: string;
  address?: string;
  startedAt?: string;
  healthyAt?: string;
  verifiedAt?: string;
  failure?: { reason: string; fix: string };
};

export type ReleaseView = {
  name: string;
  spec: { version: string };
  status: { phase: string; digest?: string; zones: ReleaseZoneView[]; failure?: { reason: string; fix: string } };
};

const ended = new Set(['Succeeded', 'Failed', 'Cancelled', 'Superseded']);

/** A Change is over when its Release is, or when it ended without a merge that one could come from. */
export function isOver({ status }: RunView, release: ReleaseView | undefined): boolean {
  if (release) return ended.has(release.status.phase);
  return ended.has(status.phase) && status.mergeCommit === undefined;
}
