import { createHash } from 'node:crypto';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { AppProjectKind, repositorySecretLabels } from '../../src/kinds/argo-cd.ts';
import { basicAuthType, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { orgProjectName } from '../../src/rules/environments/org-project.ts';
import { apiGroup, orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

type RepoRef = { org: string; repo: string };

/** Names the repo of a build or a Secret. A label could not hold its slash. */
export const repoAnnotation = `${apiGroup}/repo`;

/** The name of the Secret with which builds clone a repo. The prefix is known to the admission policy of the chart. */
export const cloneSecretName = (repo: string): string =>
  `clone-${createHash('sha256').update(repo.toLowerCase()).digest('hex').slice(0, 16)}`;

/** Gives the builds of an org new credentials that read one repo. */
export async function saveCloneSecret(store: Store, host: OrgCodehost, { org, repo }: RepoRef): Promise<void> {
  const { username, password } = await host.createCloneCredentials(repo);
  const metadata = {
    namespace: orgNamespace(org),
    name: cloneSecretName(repo),
    annotations: { [repoAnnotation]: repo },
  };
  await store.put(SecretKind, { metadata, type: basicAuthType, data: toSecretData({ username, password }) });
}

/**
 * Gives Argo CD new credentials that read the gitops repo of an org, for the Applications of that org only. Returns the
 * URL of the repo, which is the only one that Argo CD uses them for.
 */
export async function saveGitopsCredentials(
  store: Store,
  host: OrgCodehost,
  { org, repo, argoCdNamespace }: RepoRef & { argoCdNamespace: string },
): Promise<string> {
  const credentials = await host.createCloneCredentials(repo);
  const project = orgProjectName(org);
  // The service cannot read Secrets there to delete them; those of a deleted org go with its project.
  const owner = await store.find(AppProjectKind, { namespace: argoCdNamespace, name: project });
  const ownerReferences = owner ? [ownerReference(owner)] : [];
  await store.put(SecretKind, {
    metadata: { namespace: argoCdNamespace, name: project, labels: repositorySecretLabels, ownerReferences },
    type: 'Opaque',
    data: toSecretData({ type: 'git', project, ...credentials }),
  });
  return credentials.url;
}
