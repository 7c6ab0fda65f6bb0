import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { gitops, watching } from '../activity-options.ts';
import type { Keeper } from './keeper.ts';
import { reasonOfActivity, timestamp } from './promote-here.ts';

const { writeZoneSettings } = proxyActivities<Activities>(gitops);
const { awaitHealthy } = proxyActivities<Activities>(watching);

/** Brings the settings of a Product's generation into the values file of a zone that runs something; nothing is rebuilt. */
export async function applyZoneSettings(keeper: Keeper, generation: number): Promise<void> {
  const { ref, pace } = keeper;
  const note = async (phase: 'Applying' | 'Applied' | 'Failed', more: { message?: string; pullRequest?: Pull } = {}) =>
    await keeper.recordState({ settings: { generation, phase, at: timestamp(), ...more } });
  await note('Applying');
  try {
    const written = await writeZoneSettings({ ...ref, generation });
    if (written.outcome === 'nothing-runs') return await note('Applied', { message: 'The next Release brings them.' });
    if (written.outcome === 'refused') return await note('Failed', { message: written.message });
    const { digest, gitopsCommit, mergedAt, pullRequest } = written;
    const health = await awaitHealthy({ ...ref, digest, gitopsCommit, mergedAt, withinMs: pace.healthyWithinMs });
    const pull = pullRequest ? { pullRequest } : {};
    if (health.outcome === 'healthy') return await note('Applied', pull);
    await note('Failed', { message: health.why, ...pull });
  } catch (error) {
    await note('Failed', { message: reasonOfActivity(error) });
  }
}

type Pull = { number: number; url: string };
