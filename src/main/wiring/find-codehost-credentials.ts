import type { CodehostCredentials } from '../../integrations/codehost/octokit.ts';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { SecretKind, readSecretText } from '../../kinds/kubernetes.ts';
import { orgNamespace, systemNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';

/** Reads an org's code host application from the Secret `codehost-app` in its namespace. */
export function findCodehostCredentials(store: Store): (org: string) => Promise<CodehostCredentials | undefined> {
  return async (org) => {
    const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
    const secret = await store.find(SecretKind, { namespace: orgNamespace(org), name: 'codehost-app' });
    const appId = readSecretText(secret, 'app-id');
    const privateKey = readSecretText(secret, 'private-key');
    if (!organization || !secret || !appId || !privateKey) return undefined;
    const account = organization.spec.codehostAccount;
    return { appId, privateKey, account, version: `${secret.metadata.resourceVersion} ${account}` };
  };
}
