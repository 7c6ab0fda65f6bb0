import type { CodehostCredentials } from '../integrations/codehost/octokit.ts';
import { OrganizationKind } from '../rules/catalog/kinds.ts';
import { SecretKind, secretText } from '../rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** An org's application at the code host, from the secret-store entry `codehost-app` in its namespace. */
export function codehostCredentials(store: Store): (org: string) => Promise<CodehostCredentials | undefined> {
  return async (org) => {
    const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
    const secret = await store.find(SecretKind, { namespace: orgNamespace(org), name: 'codehost-app' });
    const appId = secretText(secret, 'app-id');
    const privateKey = secretText(secret, 'private-key');
    if (!organization || !secret || !appId || !privateKey) return undefined;
    return { appId, privateKey, account: organization.spec.codehostAccount, version: secret.metadata.resourceVersion };
  };
}
