import type { ApiDeps, App } from '../deps.ts';
import { approveStep } from './approve-step.ts';
import { cancelRun } from './cancel-run.ts';
import { getArtifact } from './get-artifact.ts';
import { getRun } from './get-run.ts';
import { getRunDiff } from './get-run-diff.ts';
import { getTranscript } from './get-transcript.ts';
import { guideStep } from './guide-step.ts';
import { listRounds } from './list-rounds.ts';
import { listRunArtifacts } from './list-run-artifacts.ts';
import { listRuns } from './list-runs.ts';
import { rejectStep } from './reject-step.ts';
import { retryStep } from './retry-step.ts';
import { startRun } from './start-run.ts';

export function changes(app: App, deps: ApiDeps): void {
  listRuns(app, deps);
  startRun(app, deps);
  getRun(app, deps);
  getRunDiff(app, deps);
  getTranscript(app, deps);
  listRounds(app, deps);
  listRunArtifacts(app, deps);
  getArtifact(app, deps);
  approveStep(app, deps);
  rejectStep(app, deps);
  guideStep(app, deps);
  retryStep(app, deps);
  cancelRun(app, deps);
}
