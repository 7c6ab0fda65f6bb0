import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { watchOptions } from './activity-options.ts';
import { waitsTaskQueue } from './task-queues.ts';

/** The activities that wait for external controllers, apps and other workflows. */
export const waitActivityNames = [
  'buildImage',
  'waitForZoneHealth',
  'runSmokeCheck',
  'removeZone',
  'waitForManagedDomain',
  'waitForProductWork',
  'waitForOrgWork',
  'waitForProductDeletions',
  'deleteOrgResources',
] as const satisfies (keyof Activities)[];
type Waits = Pick<Activities, (typeof waitActivityNames)[number]>;

/** Returns these activities, in the queue of waits. */
export const proxyWaits = (): Waits =>
  proxyActivities<Waits>({ ...watchOptions, taskQueue: waitsTaskQueue(workflowInfo().taskQueue) });
