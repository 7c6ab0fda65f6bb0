/** The demo declares only the fields of the API's views that it reads. */
export type ProgressStage = {
  stage: string;
  label: string;
  colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
  detail?: string;
  zone?: string;
};

export type Failure = { message: string; fix: string };

export type StepView = {
  name: string;
  phase: string;
  turns?: number;
  verdict?: { outcome: string; summary: string };
  usage?: { inputTokens: number; outputTokens: number; costMicroUsd?: number };
  waitingFor?: { message?: string };
};

export type RunView = {
  name: string;
  release?: string;
  progress: ProgressStage[];
  status: {
    phase: string;
    pullRequest?: { number: number; url: string; headSha: string };
    mergeCommit?: string;
    failure?: Failure;
    steps: StepView[];
  };
};

export type ReleaseZoneView = {
  name: string;
  phase: string;
  address?: string;
  startedAt?: string;
  healthyAt?: string;
  verifiedAt?: string;
  failure?: Failure;
};

export type ReleaseView = {
  name: string;
  spec: { version: string };
  status: { phase: string; digest?: string; zones: ReleaseZoneView[]; failure?: Failure };
};

const finishedPhases = new Set(['Succeeded', 'Failed', 'Cancelled', 'Superseded']);

/** A Change finishes with its Release, or when it ends without a merge that starts one. */
export function isChangeFinished({ status }: RunView, release: ReleaseView | undefined): boolean {
  if (release) return finishedPhases.has(release.status.phase);
  return finishedPhases.has(status.phase) && status.mergeCommit === undefined;
}
