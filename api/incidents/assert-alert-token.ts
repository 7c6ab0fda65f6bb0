import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import { alertWebhookSecret } from '../../src/rules/incidents/alert-webhook-secret.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiEnv } from '../deps.ts';

/** Compares the bearer token with the Secret, which it reads at every request, so that a new token is valid at once. */
export const assertAlertToken =
  (store: Store): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    const [, sent = ''] = /^Bearer +([\x21-\x7e]{1,500})$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const secret = await store.find(SecretKind, { namespace: systemNamespace, name: alertWebhookSecret.name });
    const expected = secret && readSecretText(secret, alertWebhookSecret.key);
    // Digests have the same length, so that the comparison takes the same time for every token.
    const isValid = timingSafeEqual(digest(sent), digest(expected ?? ''));
    if (!expected || !isValid)
      throw new ServiceError(
        'alert-token-invalid',
        `The bearer token is not the one in the Secret "${alertWebhookSecret.name}". Check the Secret that Alertmanager uses.`,
      );
    c.set('otherCaller', 'alertmanager');
    await next();
  };

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
