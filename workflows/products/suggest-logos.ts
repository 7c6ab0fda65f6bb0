import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { logoDirections } from '../../src/rules/products/logo.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { SuggestLogosInput } from './messages.ts';

const { designLogo } = proxyActivities<Activities>(externalApiOptions);

/** Designs one logo per direction in parallel; the activities store them as blobs of the round. */
export async function suggestLogos(input: SuggestLogosInput): Promise<void> {
  await Promise.all(logoDirections.map(async ({ name }) => await designLogo({ ...input, direction: name })));
}
