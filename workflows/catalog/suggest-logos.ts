import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { logoDirections } from '../../src/rules/catalog/logo.ts';
import { outside } from '../activity-options.ts';
import type { SuggestLogosInput } from './messages.ts';

const { designLogo } = proxyActivities<Activities>(outside);

/** Has a logo designed in every direction at once; they are kept under the round. */
export async function suggestLogos(input: SuggestLogosInput): Promise<void> {
  await Promise.all(logoDirections.map(async ({ name }) => await designLogo({ ...input, direction: name })));
}
