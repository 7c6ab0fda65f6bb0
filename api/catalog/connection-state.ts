import { createHash, randomBytes } from 'node:crypto';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { SecretKind, secretData, secretText } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** As long as the code host keeps the code that it answers with. */
const stateMs = 60 * 60_000;

export type ConnectionState = { org: string; user: string };

const stateRef = (state: string) => ({
  namespace: systemNamespace,
  name: `codehost-connect-${createHash('sha256').update(state).digest('hex').slice(0, 40)}`,
});

/** A proof for one coming back from the code host: whose it is, for which org, until when. */
export async function issueState(store: Store, { org, user }: ConnectionState, now: Date): Promise<string> {
  const state = randomBytes(32).toString('base64url');
  const data = secretData({ org, user, expires: new Date(now.getTime() + stateMs).toISOString() });
  await store.create(SecretKind, { metadata: stateRef(state), type: 'Opaque', data });
  return state;
}

/** Takes the proof, which is thereby used up. */
export async function redeemState(store: Store, state: string, now: Date): Promise<ConnectionState> {
  const secret = await store.find(SecretKind, stateRef(state));
  if (!secret) throw refused();
  // Of two who bring the same state, the one whose delete succeeds has it.
  await store
    .delete(SecretKind, secret.metadata, { resourceVersion: secret.metadata.resourceVersion })
    .catch((error: unknown) => {
      throw isServiceError(error) ? refused() : error;
    });
  if (Date.parse(secretText(secret, 'expires') ?? '') <= now.getTime()) throw refused();
  return { org: secretText(secret, 'org') ?? '', user: secretText(secret, 'user') ?? '' };
}

const refused = (): ServiceError =>
  new ServiceError(
    'not-signed-in',
    'The state is unknown, used or expired. Start connecting the org again, from its settings.',
  );
