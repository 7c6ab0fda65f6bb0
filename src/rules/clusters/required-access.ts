/** One permission in a cluster, as the rules of a role name it. */
export type ClusterAccessRule = { verb: string; group?: string; resource: string; subresource?: string };

/** The permissions that `deploy/workload-cluster.yaml` grants and zones need. */
export const requiredAccess: readonly ClusterAccessRule[] = [
  { verb: 'get', resource: 'namespaces' },
  { verb: 'create', resource: 'namespaces' },
  { verb: 'get', resource: 'pods' },
  { verb: 'list', resource: 'pods' },
  { verb: 'get', resource: 'pods', subresource: 'log' },
  { verb: 'get', resource: 'events' },
  { verb: 'list', resource: 'events' },
  { verb: 'get', resource: 'persistentvolumeclaims' },
  { verb: 'list', resource: 'persistentvolumeclaims' },
  { verb: 'get', resource: 'services', subresource: 'proxy' },
];

/** Permissions with which a thief of the account takes over zones or the cluster. The service never needs them. */
export const dangerousAccess: readonly ClusterAccessRule[] = [
  { verb: 'get', resource: 'secrets' },
  { verb: 'list', resource: 'secrets' },
  { verb: 'create', resource: 'pods' },
  { verb: 'create', resource: 'pods', subresource: 'exec' },
  { verb: 'delete', resource: 'pods' },
  { verb: 'delete', resource: 'namespaces' },
  { verb: 'create', group: 'apps', resource: 'deployments' },
  { verb: 'create', resource: 'serviceaccounts', subresource: 'token' },
  { verb: 'impersonate', resource: 'users' },
  { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
];

/** Everything there is, which only a cluster admin may do. */
export const unlimitedAccess: ClusterAccessRule = { verb: '*', group: '*', resource: '*' };

export const formatAccess = ({ verb, resource, subresource }: ClusterAccessRule): string =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
