import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';
import { version } from '../process/version.ts';

/** The unique part of a pod's name is at its end. */
const hostLengthMax = 24;

/**
 * Returns short names for a worker and its code. Histories repeat them several times per agent turn, and the SDK's
 * defaults take up to 91 bytes each.
 */
export const createWorkerIdentity = (
  { codePath }: { codePath: string },
  host = hostname(),
): Required<Pick<WorkerOptions, 'identity' | 'workerDeploymentOptions'>> => ({
  identity: `${process.pid}@${host.slice(-hostLengthMax)}`,
  workerDeploymentOptions: {
    version: { deploymentName: 'delivery', buildId: `${version}-${basename(codePath).slice(0, 8)}` },
    useWorkerVersioning: false,
  },
});
