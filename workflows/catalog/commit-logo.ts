import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProductLogo } from '../../src/rules/catalog/kinds.ts';
import { outside } from '../activity-options.ts';
import type { CommitLogoInput } from './messages.ts';

const { commitLogo: commitToRepo } = proxyActivities<Activities>(outside);

/** Brings an image that was put aside beforehand into the Product's repo. */
export async function commitLogo(input: CommitLogoInput): Promise<ProductLogo> {
  return await commitToRepo(input);
}
