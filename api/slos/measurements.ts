import { LRUCache } from 'lru-cache';
import { isServiceError } from '../../src/errors.ts';
import type { Monitoring, Sample } from '../../src/integrations/telemetry/monitoring.ts';
import { formatSelector } from '../../src/rules/slos/slo-labels.ts';

/** Prometheus evaluates the rules every 30 seconds, so a crowd of readers gets what one reader of 15 seconds ago got. */
const cachedMs = 15_000;
const scopesMax = 1_000;

export type Measurements = { samples: Sample[] } | { unavailable: string };
/** A Product, or an org with all its Products. */
type Scope = { org: string; product?: string };

/** Reads the recorded values of the SLOs of a Product or an org with one query, at most once in 15 seconds. */
export function createMeasurements(
  monitoring: Pick<Monitoring, 'queryInstant'>,
): (scope: Scope) => Promise<Measurements> {
  const cache = new LRUCache<string, Promise<Measurements>>({ max: scopesMax, ttl: cachedMs });
  return async (scope) => {
    const key = `${scope.org}/${scope.product ?? ''}`;
    const cached = cache.get(key);
    if (cached) return await cached;
    const reading = readSamples(monitoring, scope);
    cache.set(key, reading);
    try {
      return await reading;
    } catch (error) {
      if (cache.peek(key) === reading) cache.delete(key);
      throw error;
    }
  };
}

async function readSamples(monitoring: Pick<Monitoring, 'queryInstant'>, scope: Scope): Promise<Measurements> {
  const names = '__name__=~"service:slo_errors:ratio_.+|service:slo_requests:increase_5m"';
  try {
    const samples = await monitoring.queryInstant(`{${names}, ${formatSelector(scope).slice(1)}`);
    return { samples };
  } catch (error) {
    if (isServiceError(error, 'unavailable')) return { unavailable: error.message };
    throw error;
  }
}
