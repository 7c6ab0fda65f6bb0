import type { Scenario } from '../scenario.ts';
import { addChangelog } from './add-changelog.ts';
import { brokenBuild, failingSmokeCheck } from './failures.ts';
import { greetByName } from './greet-by-name.ts';
import { reviewRequestsChanges } from './review-requests-changes.ts';

/** The scenarios of the sample Product; the first suits any repo. */
export const sampleScenarios: Scenario[] = [
  addChangelog,
  greetByName,
  reviewRequestsChanges,
  brokenBuild,
  failingSmokeCheck,
];
