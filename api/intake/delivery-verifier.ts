import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ByteBudget } from './byte-budget.ts';
import { createWebhookSecretMatcher } from './match-webhook-secret.ts';
import {
  assertFits,
  type BodySource,
  fromIncoming,
  fromRequest,
  readUnverifiedBody,
  type UnverifiedBodyLimits,
} from './read-unverified-body.ts';
import { parseSenderHints } from './sender-hints.ts';
import type { VerifiedDelivery } from './signer.ts';

type VerifierDeps = Pick<ApiDeps, 'store' | 'shutdownSignal' | 'now'> & { config: Pick<ApiDeps['config'], 'webhooks'> };

/** Verifies the signatures of deliveries. The HTTP server verifies one before its request reaches the app. */
export class DeliveryVerifier {
  readonly #startMatching: ReturnType<typeof createWebhookSecretMatcher>;
  readonly #limits: UnverifiedBodyLimits;
  readonly #verified = new WeakMap<IncomingMessage, Promise<VerifiedDelivery>>();

  constructor(deps: VerifierDeps, budget = new ByteBudget(deps.config.webhooks.unverifiedBytesMax)) {
    this.#startMatching = createWebhookSecretMatcher(deps);
    this.#limits = { budget, bodyBytesMax: deps.config.webhooks.bodyBytesMax };
  }

  /** Throws for a declared length that is too large, or does not fit the memory for unverified bodies. */
  assertFits(declaredBytes: number): void {
    assertFits(this.#limits, declaredBytes);
  }

  /** Verifies a request of Node's server and keeps the result for the operation that receives it. */
  async verifyIncoming(incoming: IncomingMessage): Promise<VerifiedDelivery> {
    const verified = this.#verify(incoming.headers, fromIncoming(incoming));
    this.#verified.set(incoming, verified);
    return await verified;
  }

  /** Returns what the HTTP server verified; a request without a server is verified now. */
  async verify(c: Context<ApiEnv>): Promise<VerifiedDelivery> {
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
    const verified = incoming && this.#verified.get(incoming);
    return await (verified ?? this.#verify(c.req.header(), fromRequest(c.req.raw)));
  }

  async #verify(sent: IncomingMessage['headers'], source: BodySource): Promise<VerifiedDelivery> {
    const headers = sent as Record<string, string>;
    const digest = parseDigest(headers['x-hub-signature-256']);
    if (digest === undefined) throw invalidSignature;
    const match = await this.#startMatching(headers);
    const { body, release } = await readUnverifiedBody(source, this.#limits, match.addPart);
    const signer = await match.findSigner({ body, digest }, parseSenderHints(headers, body)).finally(release);
    if (!signer) throw invalidSignature;
    return { body, signer };
  }
}

function parseDigest(signature: string | undefined): Buffer | undefined {
  const digest = /^sha256=([0-9a-f]{64})$/.exec(signature ?? '')?.[1];
  return digest === undefined ? undefined : Buffer.from(digest, 'hex');
}

/** Created once, because the stack of an error costs more than the rest of a refusal. */
const invalidSignature = new ServiceError(
  'invalid-signature',
  'The signature matches the webhook secret of no org. Check the secret at the code host.',
);
