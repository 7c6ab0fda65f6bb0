import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';
import { version } from './version.ts';

/** A pod's name ends with what tells it from the others. */
const hostCharacters = 24;

/**
 * How histories name a worker and its code. Each turn of an agent says the one five times and the other thrice, and
 * the library's own names are as long as the host's and 91 bytes.
 */
export const workerNames = (
  { codePath }: { codePath: string },
  host = hostname(),
): Required<Pick<WorkerOptions, 'identity' | 'workerDeploymentOptions'>> => ({
  identity: `${process.pid}@${host.slice(-hostCharacters)}`,
  workerDeploymentOptions: {
    version: { deploymentName: 'delivery', buildId: `${version}-${basename(codePath).slice(0, 8)}` },
    useWorkerVersioning: false,
  },
});
