import type { IncomingMessage } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { ServiceError } from '../../src/errors.ts';
import type { ApiConfig, ApiDeps } from '../deps.ts';
import { createDefaultHeaders } from '../http/default-headers.ts';
import { toRefusal } from '../http/problem.ts';
import type { DeliveryVerifier } from './delivery-verifier.ts';

const path = '/api/v1/webhooks/codehost';
/** Strangers could fill the log with what they send, so one refusal in this time is a warning; the metric has them all. */
const warningIntervalMs = 60_000;

type EarlyRefusalOptions = {
  config: Pick<ApiConfig, 'publicUrl'>;
  deliveries: DeliveryVerifier;
  log: ApiDeps['log'];
  metrics?: Registry | undefined;
};
type EarlyRefusal = ReturnType<typeof toRefusal>;

/**
 * Returns the response to a delivery that is too large or that no org signed. Such a delivery does not reach the app, so
 * that a flood of them does not delay other requests. Other errors are left to the operation.
 */
export function createEarlyRefusal({ config, deliveries, log, metrics }: EarlyRefusalOptions) {
  const createHeaders = createDefaultHeaders(config);
  const refusals = new Counter({
    name: 'delivery_webhooks_refused_total',
    help: 'Webhooks that were refused before they reached an operation',
    labelNames: ['status'],
    registers: metrics ? [metrics] : [],
  });
  let warnedAt = -Infinity;
  const findLevel = (status: number): 'warn' | 'debug' => {
    const now = performance.now();
    if (status < 500 || now - warnedAt < warningIntervalMs) return 'debug';
    warnedAt = now;
    return 'warn';
  };
  const toResponse = (error: unknown, incoming: IncomingMessage): EarlyRefusal | undefined => {
    if (!(error instanceof ServiceError)) return undefined;
    const { requestId, headers } = createHeaders(incoming.headers['x-request-id']?.toString());
    const refusal = toRefusal(error, { publicUrl: config.publicUrl, requestId });
    refusals.inc({ status: refusal.status });
    log[findLevel(refusal.status)](
      { requestId, method: incoming.method, route: path, status: refusal.status },
      'Request',
    );
    return { ...refusal, headers: { ...headers, ...refusal.headers } };
  };
  const verify = async (incoming: IncomingMessage): Promise<EarlyRefusal | undefined> => {
    try {
      await deliveries.verifyIncoming(incoming);
      return undefined;
    } catch (error) {
      return toResponse(error, incoming);
    }
  };
  return (incoming: IncomingMessage): EarlyRefusal | undefined | Promise<EarlyRefusal | undefined> => {
    const { method, url = '', headers } = incoming;
    if (method !== 'POST' || url.split('?', 1)[0] !== path) return undefined;
    try {
      deliveries.assertFits(Number(headers['content-length'] ?? 0));
    } catch (error) {
      return toResponse(error, incoming);
    }
    return verify(incoming);
  };
}
