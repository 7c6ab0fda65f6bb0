import type { Kind, StoredObject } from '../rules/resource.ts';

/** Values in `data` are base64, as in Kubernetes; a Secret without entries has no `data`. */
export type Secret = StoredObject & { type?: string; data?: Record<string, string> };
export const SecretKind: Kind<Secret> = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };

/** Encodes texts as the `data` of a Secret. */
export const toSecretData = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** Decodes one entry of a Secret; undefined when the Secret or the entry does not exist. */
export function readSecretText(secret: Pick<Secret, 'data'> | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
}

/** The type of Secrets with a `username` and a `password`. */
export const basicAuthType = 'kubernetes.io/basic-auth';
/** The type of Secrets with the credentials of image registries. */
export const dockerConfigType = 'kubernetes.io/dockerconfigjson';

/** Returns the Authorization header for the `username` and the `password` of a Secret. */
export const toBasicAuthorization = (secret: Pick<Secret, 'data'>): string => {
  const [username = '', password = ''] = ['username', 'password'].map((key) => readSecretText(secret, key));
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
};

/** A Namespace is cluster-scoped, so its reference has an empty `namespace`. */
export type Namespace = StoredObject & {
  status?: { phase?: 'Active' | 'Terminating'; conditions?: NamespaceCondition[] };
};
type NamespaceCondition = { type: string; status: string; message?: string };
export const NamespaceKind: Kind<Namespace> = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' };

/** Names an entry of a Secret in the same namespace. */
export type SecretKeySelector = { name: string; key: string };

/** Values in `data` are text; values in `binaryData` are base64. */
export type ConfigMap = StoredObject & { data?: Record<string, string>; binaryData?: Record<string, string> };
export const ConfigMapKind: Kind<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

/** A condition of another system's object, whose fields that system may leave out. */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
};

/** The Kubernetes ServiceAccount (v1), with only the fields that the service uses. */
export type ServiceAccount = StoredObject & {
  /** Whether pods get a token of the account unless they say otherwise. */
  automountServiceAccountToken?: boolean;
  secrets?: { name: string }[];
};
export const ServiceAccountKind: Kind<ServiceAccount> = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};

type ResourceQuantities = { cpu?: string; memory?: string };

export type ContainerState = {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string; startedAt?: string; finishedAt?: string };
};

/** The Kubernetes Pod (v1), with only the fields that the service uses. */
export type Pod = StoredObject & {
  spec: {
    nodeName?: string;
    containers: {
      name: string;
      image?: string;
      ports?: { name?: string; containerPort: number }[];
      resources?: { requests?: ResourceQuantities; limits?: ResourceQuantities };
    }[];
  };
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    reason?: string;
    message?: string;
    startTime?: string;
    conditions?: Condition[];
    containerStatuses?: {
      name: string;
      image?: string;
      ready: boolean;
      restartCount: number;
      state?: ContainerState;
      lastState?: ContainerState;
    }[];
  };
};
export const PodKind: Kind<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

/** The core Kubernetes Event (v1), which counts repeated occurrences; only the fields that the service uses. */
export type CoreV1Event = StoredObject & {
  type?: 'Normal' | 'Warning';
  reason?: string;
  message?: string;
  involvedObject: { kind?: string; namespace?: string; name?: string; uid?: string };
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
};
export const CoreV1EventKind: Kind<CoreV1Event> = { apiVersion: 'v1', kind: 'Event', plural: 'events' };

/** The newer Kubernetes Event (events.k8s.io/v1), with only the fields that the service uses. */
export type EventsV1Event = StoredObject & {
  type?: string;
  reason?: string;
  note?: string;
  regarding?: { kind?: string; namespace?: string; name?: string };
};
export const EventsV1EventKind: Kind<EventsV1Event> = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
};

/** The Kubernetes PersistentVolumeClaim (v1), with only the fields that the service uses. */
export type PersistentVolumeClaim = StoredObject & {
  spec: { accessModes?: string[]; resources?: { requests?: { storage?: string } } };
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; capacity?: { storage?: string } };
};
export const PersistentVolumeClaimKind: Kind<PersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};

export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: string[] }[];
};
export type NetworkPolicyPeer = {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
};
type NetworkPolicyPort = { protocol: 'TCP' | 'UDP'; port: number };

/** The Kubernetes NetworkPolicy (networking.k8s.io/v1), with only the fields that the service uses. */
export type NetworkPolicy = StoredObject & {
  spec: {
    podSelector: LabelSelector;
    policyTypes: ('Ingress' | 'Egress')[];
    ingress?: { from: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
    egress?: { to: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
  };
};
export const NetworkPolicyKind: Kind<NetworkPolicy> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
};
