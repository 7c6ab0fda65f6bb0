import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { watchOptions } from './activity-options.ts';
import { waitsTaskQueue } from './task-queues.ts';

type Waits = Pick<
  Activities,
  | 'buildImage'
  | 'deleteOrgResources'
  | 'removeZone'
  | 'runSmokeCheck'
  | 'waitForManagedDomain'
  | 'waitForOrgWork'
  | 'waitForProductDeletions'
  | 'waitForProductWork'
  | 'waitForZoneHealth'
>;

/** Returns the activities that wait for external controllers, apps and other workflows. */
export const proxyWaits = (): Waits =>
  proxyActivities<Waits>({ ...watchOptions, taskQueue: waitsTaskQueue(workflowInfo().taskQueue) });
