import { createHmac, timingSafeEqual } from 'node:crypto';
import { OrganizationKind, type Organization } from '../../src/rules/catalog/kinds.ts';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { codehostAppRef } from '../catalog/codehost-app.ts';

/** The current secret, and the one before it while deliveries signed with that are still on their way. */
const secretKeys = ['webhook-secret', 'webhook-secret-previous'];

/** The org whose webhook secret signed these bytes. */
export async function signingOrg(
  store: Store,
  body: Buffer,
  signature: string | undefined,
): Promise<string | undefined> {
  const given = /^sha256=([0-9a-f]{64})$/.exec(signature ?? '')?.[1];
  if (given === undefined) return undefined;
  const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
  for (const { metadata } of likelyFirst(items, body)) {
    if (await signedBy(store, metadata.name, { body, given: Buffer.from(given, 'hex') })) return metadata.name;
  }
  return undefined;
}

type Signed = { body: Buffer; given: Buffer };

async function signedBy(store: Store, org: string, { body, given }: Signed): Promise<boolean> {
  const entry = await store.find(SecretKind, codehostAppRef(org));
  return secretKeys.some((key) => {
    const secret = Buffer.from(entry?.data[key] ?? '', 'base64');
    return secret.length > 0 && timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given);
  });
}

/** The unproven body only says whom to try first: two orgs may share an account, and then the secret decides. */
function likelyFirst(orgs: readonly Organization[], body: Buffer): Organization[] {
  const owner = /"full_name"\s*:\s*"([^"/]{1,100})\//.exec(body.toString('latin1'))?.[1]?.toLowerCase();
  const likely = (org: Organization): boolean => org.spec.codehostAccount.toLowerCase() === owner;
  return [...orgs.filter(likely), ...orgs.filter((org) => !likely(org))];
}
