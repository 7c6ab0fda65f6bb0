import type { Application } from '../../kinds/argo-cd.ts';
import type { ClusterFinding } from './kinds.ts';

/** The fix of a cluster that Argo CD does not know. */
export const addClusterFix = (name: string): string =>
  `Add the cluster to Argo CD under this name: argocd cluster add <context> --name ${name}`;

/** Judges by the Applications of zones whether Argo CD knows the cluster that they are deployed to. */
export function judgeDeployment(name: string, applications: readonly Pick<Application, 'status'>[]): ClusterFinding {
  const subject = 'deployment';
  const fix = addClusterFix(name);
  const isUnknown = applications.some(({ status }) =>
    status?.conditions?.some(({ type, message }) => type === 'InvalidSpecError' && /cluster/i.test(message)),
  );
  if (isUnknown)
    return { subject, result: 'failed', message: `Argo CD rejects the zones: it may have no cluster "${name}".`, fix };
  if (applications.some(({ status }) => status?.sync?.status === 'Synced'))
    return { subject, result: 'ok', message: 'Argo CD deploys zones there.' };
  return {
    subject,
    result: 'warning',
    message: `Argo CD deploys zones to the cluster "${name}". Whether it has one shows with the first zone.`,
    fix,
  };
}
