import { randomBytes } from 'node:crypto';
import { ApiTokenKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { makeToken } from '../../src/rules/access/token.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from '../authenticate.ts';

/** Makes a token or session; its text is in the answer and nowhere else. */
export async function newToken(store: Store, spec: ApiToken['spec']): Promise<{ token: string; stored: ApiToken }> {
  const token = makeToken(randomBytes(32));
  const stored = await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token) },
    spec,
  });
  return { token, stored };
}
