import type { CodehostCredentials } from '../integrations/codehost/octokit.ts';
import { OrganizationKind } from '../rules/catalog/kinds.ts';
import { SecretKind } from '../rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** An org's application at the code host, from the secret-store entry `codehost-app` in its namespace. */
export function codehostCredentials(store: Store): (org: string) => Promise<CodehostCredentials | undefined> {
  return async (org) => {
    const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
    const secret = await store.find(SecretKind, { namespace: orgNamespace(org), name: 'codehost-app' });
    const value = (key: string): string | undefined => {
      const encoded = secret?.data?.[key];
      return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
    };
    const appId = value('app-id');
    const privateKey = value('private-key');
    if (!organization || !secret || !appId || !privateKey) return undefined;
    return { appId, privateKey, account: organization.spec.codehostAccount, version: secret.metadata.resourceVersion };
  };
}
