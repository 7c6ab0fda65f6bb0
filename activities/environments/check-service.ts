import { findConnectionErrorCode } from '../../src/errors.ts';
import type { ZoneCluster } from '../../src/integrations/telemetry/zone-cluster.ts';
import { toOutcome, type SmokeCheckOutcome } from './smoke-check.ts';

type ServiceTarget = { namespace: string; name: string; url: string };

/** The app, or the API server on the way to it, may not respond. */
const timeoutMs = 10_000;

/** Requests the app of a zone in a workload cluster, whose names only that cluster resolves. */
export async function checkService(
  cluster: ZoneCluster,
  { url, ...target }: ServiceTarget,
  signal: AbortSignal,
): Promise<SmokeCheckOutcome> {
  const startedAt = performance.now();
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { status, body } = await cluster.requestService(target, timeout);
    const durationMs = Math.round(performance.now() - startedAt);
    return toOutcome({ status, body }, { url, status, durationMs });
  } catch (error) {
    signal.throwIfAborted();
    // The message of a connection error contains the address of the cluster, which tenants do not learn.
    return {
      outcome: 'failed',
      message: `${url} did not respond: ${findConnectionErrorCode(error) ?? (error as Error).message}.`,
      response: { url },
    };
  }
}
