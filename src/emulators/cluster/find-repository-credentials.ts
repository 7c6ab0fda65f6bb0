import { repositorySecretLabels } from '../../kinds/argo-cd.ts';
import { readSecretText, SecretKind, toBasicAuthorization } from '../../kinds/kubernetes.ts';
import type { Store } from '../../store/store.ts';

/** Returns the Authorization header for a repo, if Argo CD has credentials for it. */
export type FindRepositoryCredentials = (url: string, project: string) => Promise<string | undefined>;

/** Reads Argo CD's repository Secrets. A Secret that names a project serves only the Applications of that project. */
export const findRepositoryCredentials =
  (store: Store, argoCdNamespace: string): FindRepositoryCredentials =>
  async (url, project) => {
    const { items } = await store.list(SecretKind, { namespace: argoCdNamespace, labels: repositorySecretLabels });
    const found = items.find(
      (secret) =>
        readSecretText(secret, 'url') === url && [undefined, project].includes(readSecretText(secret, 'project')),
    );
    return found && toBasicAuthorization(found);
  };
