import type { Example } from '../example.ts';
import { brokenBuild, failingSmokeCheck } from './failures.ts';
import { greetByName } from './greet-by-name.ts';
import { reviewFindsAFault } from './review-finds-a-fault.ts';

/** The worked examples about the sample Product. */
export const sampleExamples: Example[] = [greetByName, reviewFindsAFault, brokenBuild, failingSmokeCheck];
