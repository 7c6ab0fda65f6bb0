import { isServiceError } from '../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type Application, ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { BuildRunKind, isBuildFinished } from '../../src/kinds/shipwright.ts';
import { gitopsRepoViolation, toUnreadableMessage } from '../../src/rules/environments/gitops-access.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { repoAnnotation, saveCloneSecret, saveGitopsCredentials } from '../codehost/git-credentials.ts';
import { moveApplication } from './application.ts';
import { ensureOrgProject } from './org-project.ts';
import { recordGitopsAccess } from './record-gitops-access.ts';

type Renamed = { repo: string; url: string; applications: readonly Application[] };
export type RepositoryAccessDeps = { store: Store; codehost: Codehost; argoCdNamespace: string; now: () => Date };

export function createRepositoryAccessActivities({ store, codehost, argoCdNamespace, now }: RepositoryAccessDeps) {
  /** The application of the org may have lost its access to a repo, which must not affect the other repos. */
  const tryRefresh = async (refresh: Promise<void>): Promise<string | undefined> =>
    await refresh.then(
      () => undefined,
      (error: unknown) => {
        if (isServiceError(error, 'not-found') || isServiceError(error, 'forbidden')) return error.message;
        throw error;
      },
    );

  /**
   * Moves Applications to the URL that the gitops repo has since it was renamed, because Argo CD has credentials for no
   * other. Another repo that the org names instead has their files only after the next promotion of each zone.
   */
  const followRename = async (org: string, host: OrgCodehost, { repo, url, applications }: Renamed): Promise<void> => {
    const isRenamed = async ({ spec, status }: Application): Promise<boolean> => {
      const revision = status?.sync?.revision;
      if (spec.source.repoURL === url || revision === undefined) return false;
      const commit = await host.getCommit(repo, revision).catch((error: unknown) => {
        if (!isServiceError(error, 'not-found') && !isServiceError(error, 'invalid')) throw error;
      });
      return commit !== undefined;
    };
    for (const application of applications) {
      if (!(await isRenamed(application))) continue;
      await ensureOrgProject(store, { org, repoUrl: url, argoCdNamespace });
      await moveApplication(store, { org, zone: application.metadata.name }, url);
    }
  };

  const refreshGitopsAccess = async (org: string, host: OrgCodehost, repo: string): Promise<void> => {
    const namespace = orgNamespace(org);
    const { items: applications } = await store.list(ApplicationKind, { namespace });
    if (applications.length === 0) return;
    const refresh = async (): Promise<void> => {
      const url = await saveGitopsCredentials(store, host, { org, repo, argoCdNamespace });
      await followRename(org, host, { repo, url, applications });
    };
    const refusal = await tryRefresh(refresh());
    const violations = new Map(
      applications.map(({ metadata, status }) => [metadata.name, gitopsRepoViolation(status)]),
    );
    const { items: products } = await store.list(ProductKind, { namespace });
    for (const product of products) {
      const zones = listZones(product).filter((zone) => violations.has(zone));
      if (zones.length === 0) continue;
      const reported = zones.map((zone) => violations.get(zone)).find((message) => message !== undefined);
      const violation = refusal === undefined ? reported : toUnreadableMessage(refusal);
      await recordGitopsAccess(store, { org, product: product.metadata.name }, { violation, now });
    }
  };

  const refreshCloneSecrets = async (org: string, host: OrgCodehost): Promise<void> => {
    const { items } = await store.list(BuildRunKind, { namespace: orgNamespace(org) });
    const building = items.filter((build) => !isBuildFinished(build));
    const repos = new Set(building.flatMap(({ metadata }) => metadata.annotations?.[repoAnnotation] ?? []));
    for (const repo of repos) await tryRefresh(saveCloneSecret(store, host, { org, repo }));
  };

  return {
    /**
     * Replaces the credentials of Argo CD and of the builds in progress, which expire after an hour, and records whether
     * Argo CD can read the gitops repo. Returns false once the org or its connection is deleted.
     */
    refreshRepositoryAccess: async ({ org }: { org: string }): Promise<boolean> => {
      const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
      if (!organization) return false;
      try {
        const host = await codehost.forOrg(org);
        await refreshCloneSecrets(org, host);
        await refreshGitopsAccess(org, host, organization.spec.gitopsRepo);
        return true;
      } catch (error) {
        if (isServiceError(error) && error.reason === 'codehost-not-connected') return false;
        throw error;
      }
    },
  };
}

const listZones = ({ spec, status }: Product): string[] =>
  [...spec.delivery.zones, ...(status?.zones ?? [])].map(({ name }) => name);
