import { isServiceError } from '../../src/errors.ts';
import type { Monitoring, Sample } from '../../src/integrations/telemetry/monitoring.ts';
import { formatSelector, requestsSeries, toRatioName } from '../../src/rules/slos/slo-labels.ts';
import { boundedCache } from '../http/bounded-cache.ts';

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
  const cache = boundedCache<Promise<Measurements>>(scopesMax, { ttl: cachedMs });
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

const burnSeries = ['5m', '30m', '1h', '6h'].map(toRatioName).join('|');
const otherSeries = [toRatioName('.+'), requestsSeries].join('|');

/**
 * The rules of the window are evaluated every five minutes, and Prometheus forgets a sample after as long: without a longer
 * look back, a read during the next evaluation, or soon after a restart of Prometheus, finds no window.
 */
function toQuery(scope: Scope): string {
  const labels = formatSelector(scope).slice(1);
  const others = `{__name__=~"${otherSeries}", __name__!~"${burnSeries}", ${labels}`;
  return `{__name__=~"${burnSeries}", ${labels} or on (__name__) last_over_time(${others}[10m])`;
}

async function readSamples(monitoring: Pick<Monitoring, 'queryInstant'>, scope: Scope): Promise<Measurements> {
  try {
    return { samples: await monitoring.queryInstant(toQuery(scope)) };
  } catch (error) {
    if (isServiceError(error, 'unavailable')) return { unavailable: error.message };
    throw error;
  }
}
