import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { defined } from '../../src/defined.ts';
import { gitopsOptions } from '../activity-options.ts';
import { activityFailureMessage } from '../failures.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { timestamp } from '../timestamp.ts';
import { writeWhenAllowed } from './write-when-allowed.ts';
import type { ZoneController } from './zone-controller.ts';

const { writeZoneSettings } = proxyActivities<Activities>(gitopsOptions);

type SettingsDetails = { message?: string; pullRequest?: { number: number; url: string } };

/** Writes the settings of a Product's generation to the values file of the running Release; nothing is rebuilt. */
export async function applyZoneSettings(controller: ZoneController, generation: number): Promise<void> {
  const { ref, intervals } = controller;
  const record = async (phase: 'Applying' | 'Applied' | 'Failed', details: SettingsDetails = {}) =>
    await controller.recordZoneState({ settings: { generation, phase, at: timestamp(), ...details } });
  await record('Applying');
  try {
    const written = await writeWhenAllowed(controller, {
      write: async (proposal) => await writeZoneSettings({ ...ref, generation, ...defined({ proposal }) }),
      onBlocked: async ({ message }) => await record('Applying', message ? { message } : {}),
    });
    if (written.outcome === 'no-release') return await record('Applied', { message: 'The next Release applies them.' });
    if (written.outcome === 'refused') {
      const fix = written.isClosed ? ' Save the settings again to open another one.' : '';
      return await record('Failed', { message: `${written.message}${fix}` });
    }
    const { digest, gitopsCommit, mergedAt, pullRequest } = written;
    const timeoutMs = intervals.healthyTimeoutMs;
    const health = await proxyWaits().waitForZoneHealth({ ...ref, digest, gitopsCommit, mergedAt, timeoutMs });
    const link = pullRequest ? { pullRequest } : {};
    if (health.outcome === 'healthy') return await record('Applied', link);
    const { message, fix } = health;
    await record('Failed', { message: fix === undefined ? message : `${message} ${fix}`, ...link });
  } catch (error) {
    await record('Failed', { message: activityFailureMessage(error) });
  }
}
