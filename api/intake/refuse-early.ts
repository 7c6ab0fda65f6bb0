import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../src/errors.ts';
import type { ApiConfig } from '../deps.ts';
import { createDefaultHeaders } from '../http/default-headers.ts';
import { toRefusal } from '../http/problem.ts';
import type { ByteBudget } from './byte-budget.ts';
import { assertFits } from './read-unverified-body.ts';

type EarlyRefusalOptions = { config: Pick<ApiConfig, 'publicUrl' | 'webhooks'>; unverifiedBodies: ByteBudget };

/**
 * Returns the response to a delivery whose declared length is too large. Such a delivery reaches no route, so that a
 * flood of them does not delay other requests.
 */
export function createEarlyRefusal({ config, unverifiedBodies: budget }: EarlyRefusalOptions) {
  const limits = { budget, bodyBytesMax: config.webhooks.bodyBytesMax };
  const createHeaders = createDefaultHeaders(config);
  return ({ url = '', headers: sent }: Pick<IncomingMessage, 'url' | 'headers'>) => {
    if (!/^\/api\/v1\/webhooks\/codehost(\?|$)/.test(url)) return undefined;
    try {
      assertFits(limits, Number(sent['content-length'] ?? 0));
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { requestId, headers } = createHeaders(sent['x-request-id']?.toString());
      const refusal = toRefusal(error, { publicUrl: config.publicUrl, requestId });
      return { ...refusal, headers: { ...headers, ...refusal.headers } };
    }
  };
}
