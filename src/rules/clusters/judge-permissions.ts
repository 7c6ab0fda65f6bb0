import type { ClusterFinding } from './kinds.ts';
import { type ClusterAccessRule, formatAccess, requiredAccess } from './required-access.ts';

const manifest = 'deploy/workload-cluster.yaml';

/** Judges which of the required permissions the account of a cluster has. */
export function judgePermissions(allowed: readonly ClusterAccessRule[]): ClusterFinding {
  const subject = 'permissions';
  const missing = requiredAccess.filter((rule) => !allowed.includes(rule)).map(formatAccess);
  if (missing.length === 0) return { subject, result: 'ok', message: 'The account can do what zones need.' };
  return {
    subject,
    result: 'failed',
    message: `The account lacks permissions in all namespaces: ${missing.join(', ')}.`,
    fix: `Apply ${manifest} in the cluster, and use a token of its ServiceAccount service-zones.`,
  };
}

type Excess = { dangerous: readonly ClusterAccessRule[]; unlimited: boolean };

/** Judges whether the account may do more than the service ever needs. */
export function judgeExcess({ dangerous, unlimited }: Excess): ClusterFinding {
  const subject = 'least-privilege';
  if (!unlimited && dangerous.length === 0)
    return { subject, result: 'ok', message: 'The account can change no workload and read no Secret.' };
  const message = unlimited
    ? 'The account is a cluster admin, although the service only reads zones and creates their namespaces.'
    : `The account may do more than the service needs: ${dangerous.map(formatAccess).join(', ')}.`;
  return {
    subject,
    result: 'warning',
    message,
    fix: `Use a token of the ServiceAccount service-zones of ${manifest} instead.`,
  };
}
