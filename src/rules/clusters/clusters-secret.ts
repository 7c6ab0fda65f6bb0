import { createHash } from 'node:crypto';
import { readSecretText, type Secret, toSecretData } from '../../kinds/kubernetes.ts';
import { systemNamespace } from '../resource.ts';
import { ClusterAccess } from './cluster-access.ts';

/** The Secret that holds the credentials of all workload clusters. Workers may read it by this name alone. */
export const clustersSecretRef = { namespace: systemNamespace, name: 'workload-clusters' };

/** Bounds the Secret, which can hold 1 MiB. */
export const clustersMax = 30;

/** Returns the data of the Secret with the access to one cluster, or without it. */
export function withClusterAccess(
  secret: Pick<Secret, 'data'> | undefined,
  name: string,
  access: ClusterAccess | undefined,
): Record<string, string> {
  const { [name]: _, ...others } = secret?.data ?? {};
  return { ...others, ...(access && toSecretData({ [name]: JSON.stringify(access) })) };
}

/** Returns undefined for a cluster without an entry, and for one that a person has written wrongly with kubectl. */
export function readClusterAccess(secret: Pick<Secret, 'data'> | undefined, name: string): ClusterAccess | undefined {
  // A cluster may have the name of a property that every object has, such as "constructor".
  if (!Object.hasOwn(secret?.data ?? {}, name)) return undefined;
  const text = readSecretText(secret, name) ?? '';
  try {
    return ClusterAccess.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Names credentials without showing them, so that people see whether two of them are the same. */
export const accessFingerprint = (access: ClusterAccess): string =>
  createHash('sha256').update(JSON.stringify(access)).digest('hex').slice(0, 16);
