import type { ClusterFinding } from './kinds.ts';

/** The oldest minor version of Kubernetes 1 that the charts of the service and of zones support. */
const oldestMinor = 30;
/** Since this minor version, pods with `hostUsers: false` get a user namespace without further settings. */
const userNamespacesMinor = 33;

export function judgeVersion(version: string): ClusterFinding {
  const subject = 'version';
  if (isAtLeast(version, oldestMinor)) return { subject, result: 'ok', message: `Kubernetes ${version}.` };
  return {
    subject,
    result: 'failed',
    message: `Kubernetes ${version} is older than 1.${oldestMinor}, which zones need.`,
    fix: `Upgrade the cluster to Kubernetes 1.${oldestMinor} or newer.`,
  };
}

export function judgeUserNamespaces(version: string): ClusterFinding {
  const subject = 'user-namespaces';
  if (isAtLeast(version, userNamespacesMinor))
    return { subject, result: 'ok', message: 'Pods can have user namespaces of their own.' };
  return {
    subject,
    result: 'warning',
    message: `Kubernetes ${version} gives pods no user namespaces by default, which would isolate apps from their node.`,
    fix: `Upgrade the cluster to Kubernetes 1.${userNamespacesMinor} or newer.`,
  };
}

function isAtLeast(version: string, minor: number): boolean {
  const [, major = 0, own = 0] = (/^v(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return major > 1 || (major === 1 && own >= minor);
}
