import type { Scenario } from '../scenario.ts';
import { brokenBuild, failingSmokeCheck } from './failures.ts';
import { greetByName } from './greet-by-name.ts';
import { reviewRequestsChanges } from './review-requests-changes.ts';

/** The scenarios of the sample Product. */
export const sampleScenarios: Scenario[] = [greetByName, reviewRequestsChanges, brokenBuild, failingSmokeCheck];
