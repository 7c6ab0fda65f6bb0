import { createHash, randomBytes } from 'node:crypto';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { SecretKind, toSecretData, readSecretText } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Equal to the lifetime of the manifest code at the code host. */
const stateTtlMs = 60 * 60_000;

export type ConnectionState = { org: string; user: string };

const stateRef = (state: string) => ({
  namespace: systemNamespace,
  name: `codehost-connect-${createHash('sha256').update(state).digest('hex').slice(0, 40)}`,
});

/** Issues the state that authenticates the redirect from the code host; it is bound to the user, the org and an expiry. */
export async function issueState(store: Store, { org, user }: ConnectionState, now: Date): Promise<string> {
  const state = randomBytes(32).toString('base64url');
  const data = toSecretData({ org, user, expires: new Date(now.getTime() + stateTtlMs).toISOString() });
  await store.create(SecretKind, { metadata: stateRef(state), type: 'Opaque', data });
  return state;
}

/** Redeems a state; throws when it is unknown, expired or already used. */
export async function redeemState(store: Store, state: string, now: Date): Promise<ConnectionState> {
  const secret = await store.find(SecretKind, stateRef(state));
  if (!secret) throw invalidState();
  // The conditional delete lets only one of two concurrent requests redeem the state.
  await store
    .delete(SecretKind, secret.metadata, { resourceVersion: secret.metadata.resourceVersion })
    .catch((error: unknown) => {
      throw isServiceError(error) ? invalidState() : error;
    });
  if (Date.parse(readSecretText(secret, 'expires') ?? '') <= now.getTime()) throw invalidState();
  return { org: readSecretText(secret, 'org') ?? '', user: readSecretText(secret, 'user') ?? '' };
}

const invalidState = (): ServiceError =>
  new ServiceError(
    'connection-state-invalid',
    'The state is unknown, used or expired. Start connecting the org again in its settings.',
  );
