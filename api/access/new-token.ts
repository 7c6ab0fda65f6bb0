import { randomBytes } from 'node:crypto';
import { ApiTokenKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { makeToken } from '../../src/rules/access/token.ts';
import { ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from '../authenticate.ts';

/** Makes a token or session; its text is in the answer and nowhere else. */
export async function newToken(
  store: Store,
  spec: ApiToken['spec'],
  /** Whoever ends the owner ends the token. */
  owner?: ApiToken,
): Promise<{ token: string; stored: ApiToken }> {
  const token = makeToken(randomBytes(32));
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
