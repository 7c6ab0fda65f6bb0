import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { logoDirections } from '../../src/rules/products/logo.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { SuggestLogosInput } from './messages.ts';

/** A model that reasons takes minutes for a design, and its provider charges for a request that is given up. */
const { designLogo } = proxyActivities<Activities>({ ...externalApiOptions, startToCloseTimeout: '5 minutes' });

/** Designs one logo per direction in parallel; the activities store them as blobs of the round. */
export async function suggestLogos(input: SuggestLogosInput): Promise<void> {
  await Promise.all(logoDirections.map(async ({ name }) => await designLogo({ ...input, direction: name })));
}
