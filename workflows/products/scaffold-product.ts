import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProductScaffold } from '../../src/rules/products/source.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { toApplicationFailure } from '../failures.ts';
import { promoteReleaseStart } from '../releases/messages.ts';
import { startDetached } from '../start-detached.ts';
import { agentsTaskQueue } from '../task-queues.ts';
import { timestamp } from '../timestamp.ts';
import type { ScaffoldProductInput } from './messages.ts';

const { hasRelease, recordScaffold } = proxyLocalActivities<Activities>(storeOptions);
const { createSourceRepo } = proxyActivities<Activities>(externalApiOptions);

/** An attempt begins again with the whole archive, so a slow worker or network must be able to complete one. */
const startToCloseTimeout = '10 minutes';

/**
 * Creates the repo of a Product, commits the files of its source and starts its first Release. Every step finds what an
 * earlier attempt has done, so a retry continues there.
 */
export async function scaffoldProduct({ by, ...ref }: ScaffoldProductInput): Promise<void> {
  // Only the workers that agents run on have git.
  const taskQueue = agentsTaskQueue(workflowInfo().taskQueue);
  const { commitSource } = proxyActivities<Activities>({ ...externalApiOptions, startToCloseTimeout, taskQueue });
  const record = async (patch: Partial<ProductScaffold> & Pick<ProductScaffold, 'phase' | 'message'>) =>
    await recordScaffold({ ...ref, patch });

  try {
    const startedAt = timestamp();
    if (!(await record({ phase: 'CreatingRepo', message: 'The repo is being created.', startedAt }))) return;
    await createSourceRepo(ref);
    if (!(await record({ phase: 'Committing', message: 'The files are being committed to the repo.' }))) return;
    const { repo, commit } = await commitSource(ref);
    const message = 'The first Release is being started.';
    if (!(await record({ phase: 'StartingRelease', message, commit }))) return;
    const release = { org: ref.org, product: ref.product, commit };
    if (!(await hasRelease(release))) await startDetached(promoteReleaseStart({ ...release, repo, startedBy: by }));
    await record({
      phase: 'Succeeded',
      message: 'The repo contains the files, and the first Release was started.',
      finishedAt: timestamp(),
    });
  } catch (error) {
    await record({ phase: 'Failed', message: 'The Product has no first Release.', ...toFailure(ref, error) });
  }
}

function toFailure({ product }: { product: string }, error: unknown): Pick<ProductScaffold, 'finishedAt' | 'failure'> {
  const { type, message } = toApplicationFailure(error);
  const isTaken = type === 'repo-exists';
  return {
    finishedAt: timestamp(),
    failure: {
      reason: isTaken ? 'repo-exists' : 'activity-failed',
      message,
      resource: `Product ${product}`,
      fix: isTaken
        ? 'Rename or delete the repo at the code host, then retry. Or delete the Product, and create it with another repo.'
        : 'Fix the error above, then retry.',
      at: timestamp(),
    },
  };
}
