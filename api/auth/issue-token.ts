import { randomBytes } from 'node:crypto';
import { defined } from '../../src/defined.ts';
import { ApiTokenKind, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { createToken } from '../../src/rules/access/token.ts';
import { ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from './authenticate.ts';

/** The fields of a token that name the person it stands for. The uid tells a person from a later one of that name. */
export const tokenHolder = ({ metadata }: User): { user: string; userUid: string } => ({
  user: metadata.name,
  userUid: metadata.uid,
});

/** The fields of a token that it takes from the session that creates it. */
export type TokenHolder = Pick<ApiToken['spec'], 'user' | 'userUid' | 'identityProvider'>;

/** Returns the person of a session, and the identity provider without whose consent no credential of the session is accepted. */
export const copyHolder = ({ spec: { user, userUid, identityProvider } }: ApiToken): TokenHolder =>
  defined({ user, userUid, identityProvider });

/** Counts the tokens of a person, without sessions. */
export async function countTokens(store: Store, user: string): Promise<number> {
  const fields = { 'spec.user': user, 'spec.use': 'token' };
  return (await store.list(ApiTokenKind, { namespace: systemNamespace, fields })).items.length;
}

/**
 * Creates a token or session. Only the return value holds its text; the store keeps the hash. Deleting the owner, which
 * is the person or the session that it was created with, deletes the token.
 */
export async function issueToken(
  store: Store,
  spec: ApiToken['spec'],
  owner: User | ApiToken,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createToken(randomBytes(32));
  const stored = await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token), ownerReferences: [ownerReference(owner)] },
    spec,
  });
  return { token, stored };
}
