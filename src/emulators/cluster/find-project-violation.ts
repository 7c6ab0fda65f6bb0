import { type Application, AppProjectKind } from '../../kinds/argo-cd.ts';
import { NamespaceKind } from '../../kinds/kubernetes.ts';
import type { Store } from '../../store/store.ts';

/** Returns why the project of an Application does not allow it, in the words of Argo CD. */
export async function findProjectViolation(
  store: Store,
  { metadata, spec }: Application,
  argoCdNamespace: string,
): Promise<string | undefined> {
  const { project: name, source, destination } = spec;
  const project = await store.find(AppProjectKind, { namespace: argoCdNamespace, name });
  if (!project) return `Application referencing project ${name} which does not exist`;
  if (!project.spec.sourceNamespaces.includes(metadata.namespace))
    return `application '${metadata.name}' in namespace '${metadata.namespace}' is not permitted to use project '${name}'`;
  if (!project.spec.sourceRepos.includes(source.repoURL))
    return `application repo ${source.repoURL} is not permitted in project '${name}'`;
  const isPermitted = project.spec.destinations.some(
    (allowed) =>
      allowed.namespace === destination.namespace &&
      allowed.server === destination.server &&
      allowed.name === destination.name,
  );
  if (!isPermitted)
    return `application destination server '${destination.server ?? destination.name}' and namespace '${destination.namespace}' do not match any of the allowed destinations in project '${name}'`;
  // The emulator has no other cluster, so a namespace of a workload cluster does not exist either.
  const namespace = await store.find(NamespaceKind, { namespace: '', name: destination.namespace });
  return namespace ? undefined : `namespaces "${destination.namespace}" not found`;
}
