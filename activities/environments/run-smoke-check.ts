import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAddress } from './check-address.ts';
import { checkService } from './check-service.ts';
import type { EnvironmentDeps, ZoneRef } from './environment-deps.ts';
import { checkUrl, type SmokeCheckOutcome } from './smoke-check.ts';
import type { ZonePreparation } from './zone-preparation.ts';
import { recordZoneStatus } from './zone-status.ts';

/** Applies to zones that set no time limit for the smoke check. */
const defaultSmokeCheckSeconds = 60;

/**
 * Requests the app until it responds without an error, or the time limit of the zone has passed. Without a URL of
 * its own, the Service is checked: an address may wait for DNS and for its certificate long after the app is ready.
 */
export async function runSmokeCheck(
  { deps, zones }: { deps: EnvironmentDeps; zones: ZonePreparation },
  input: ZoneRef & { intervalMs: number },
): Promise<SmokeCheckOutcome> {
  const { store, zoneService, now } = deps;
  const { getZoneSpec, toAddress } = zones;
  const { verify, replicas, access = 'public', cluster } = await getZoneSpec(input);
  const [address, service] = [await toAddress(input.zone), zoneService(input.product, input.zone)];
  const url = verify?.url ?? service;
  if (replicas === 0) return { outcome: 'passed', message: 'the zone has no replicas', response: { url } };
  const deadline = Date.now() + (verify?.timeoutSeconds ?? defaultSmokeCheckSeconds) * 1_000;
  const signal = Context.current().cancellationSignal;
  const scope = { zoneUrls: [address, service], allowedInside: deps.allowedInside, signal };
  const check = async (): Promise<SmokeCheckOutcome> => {
    if (verify?.url !== undefined || cluster === undefined) return await checkUrl({ url, ...scope });
    const found = await deps.workloadClusters.find(cluster);
    const message = `the service cannot reach the app in the cluster "${cluster}", where it is healthy`;
    if (!found) return { outcome: 'passed', message, response: { url } };
    return await checkService(found, { namespace: input.zone, name: input.product, url }, signal);
  };
  for (;;) {
    const result = await check();
    if (result.outcome === 'passed' && access !== 'none')
      await recordZoneStatus(store, input, { addressCheck: await checkAddress({ url: address, ...scope, now }) });
    if (result.outcome === 'passed' || Date.now() >= deadline) return result;
    await sleep(input.intervalMs, undefined, { signal });
  }
}
