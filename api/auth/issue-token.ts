import { randomBytes } from 'node:crypto';
import { ApiTokenKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { createToken } from '../../src/rules/access/token.ts';
import { ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from './authenticate.ts';

/** Creates a token or session. Only the return value holds its text; the store keeps the hash. */
export async function issueToken(
  store: Store,
  spec: ApiToken['spec'],
  /** Deleting the owner deletes the token. */
  owner?: ApiToken,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createToken(randomBytes(32));
  const stored = await store.create(ApiTokenKind, {
    metadata: {
      namespace: systemNamespace,
      name: tokenName(token),
      ...(owner && { ownerReferences: [ownerReference(owner)] }),
    },
    spec,
  });
  return { token, stored };
}
