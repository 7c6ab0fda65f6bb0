import { createHash, hash, randomBytes } from 'node:crypto';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { SecretKind, toSecretData, readSecretText, type Secret } from '../../src/kinds/kubernetes.ts';
import { connectionStateLabels } from '../../src/rules/expiry.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Identifies the browser that started a connection. */
export const connectionCookie = 'svc_connect';
/** Equal to the lifetime of the manifest code at the code host. */
export const stateTtlMs = 60 * 60_000;

export type ConnectionState = {
  org: string;
  user: string;
  /** The cookie of the browser that started; absent when a program did, which has no cookies. */
  browser: string | undefined;
};
/** The person and the browser that complete a connection. */
type Redeemer = Pick<ConnectionState, 'user' | 'browser'>;

const stateRef = (state: string) => ({
  namespace: systemNamespace,
  name: `codehost-connect-${createHash('sha256').update(state).digest('hex').slice(0, 40)}`,
});

/** Issues the state that authenticates the redirect from the code host; it is bound to the org, the user and the browser. */
export async function issueState(store: Store, { org, user, browser }: ConnectionState, now: Date): Promise<string> {
  const state = randomBytes(32).toString('base64url');
  const expires = new Date(now.getTime() + stateTtlMs).toISOString();
  const data = toSecretData({ org, user, expires, ...(browser !== undefined && { browser: hash('sha256', browser) }) });
  const metadata = { ...stateRef(state), labels: connectionStateLabels };
  await store.create(SecretKind, { metadata, type: 'Opaque', data });
  return state;
}

/** Redeems a state and returns its org; throws when it is unknown, expired, used, or of another person or browser. */
export async function redeemState(
  store: Store,
  { state, ...redeemer }: Redeemer & { state: string },
  now: Date,
): Promise<string> {
  const secret = await store.find(SecretKind, stateRef(state));
  if (!secret || !isStarter(secret, redeemer)) throw invalidState();
  // The conditional delete lets only one of two concurrent requests redeem the state.
  await store
    .delete(SecretKind, secret.metadata, { resourceVersion: secret.metadata.resourceVersion })
    .catch((error: unknown) => {
      throw isServiceError(error) ? invalidState() : error;
    });
  if (Date.parse(readSecretText(secret, 'expires') ?? '') <= now.getTime()) throw invalidState();
  return readSecretText(secret, 'org') ?? '';
}

function isStarter(secret: Secret, { user, browser }: Redeemer): boolean {
  const expected = readSecretText(secret, 'browser');
  const isBrowser = expected === undefined || (browser !== undefined && hash('sha256', browser) === expected);
  return isBrowser && readSecretText(secret, 'user') === user;
}

const invalidState = (): ServiceError =>
  new ServiceError(
    'connection-state-invalid',
    'The state is unknown, already used, expired, or was issued to another person or browser. Start connecting the org again in its settings.',
  );
