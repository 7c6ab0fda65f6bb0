import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProductLogo } from '../../src/rules/products/kinds.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { CommitLogoInput } from './messages.ts';

const { commitLogo: commitLogoActivity } = proxyActivities<Activities>(externalApiOptions);

/** Commits an image to the Product's repo; the caller has stored the image as a blob. */
export async function commitLogo(input: CommitLogoInput): Promise<ProductLogo> {
  return await commitLogoActivity(input);
}
