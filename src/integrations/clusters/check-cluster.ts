import { z } from 'zod';
import type { ClusterFinding } from '../../rules/clusters/kinds.ts';
import { judgeVersion, judgeUserNamespaces } from '../../rules/clusters/judge-version.ts';
import { judgeIngress, judgeStorage, type InstalledClasses } from '../../rules/clusters/judge-classes.ts';
import { judgeExcess, judgePermissions } from '../../rules/clusters/judge-permissions.ts';
import {
  type ClusterAccessRule,
  dangerousAccess,
  requiredAccess,
  unlimitedAccess,
} from '../../rules/clusters/required-access.ts';
import type { ClusterAccess } from '../../rules/clusters/cluster-access.ts';
import type { ClusterCheck } from './clusters.ts';
import type { ClusterSession } from './cluster-session.ts';
import { settingError } from './cluster-error.ts';

/** Traffic from outside enters the zones of this installation through an Ingress controller or a Gateway. */
export type IngressSettings = { ingressClass: string | undefined; hasGateway: boolean };

const Version = z.object({ gitVersion: z.string().regex(/^v\d{1,4}\.\d{1,4}[\w.+-]{0,60}$/) });
const SelfReview = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });
const AccessReview = z.object({ status: z.object({ allowed: z.boolean() }) });
const ClassList = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }) }),
  ),
});

/** Asks an API server what zones need, and what its account may do. Throws when it does not accept the account. */
export async function checkCluster(
  { send }: Pick<ClusterSession, 'send'>,
  { server }: Pick<ClusterAccess, 'server'>,
  ingress: IngressSettings,
): Promise<ClusterCheck> {
  const version = await readVersion(send, server);
  const account = await readAccount(send, server);
  const judgeAccess = async (rules: readonly ClusterAccessRule[]): Promise<ClusterAccessRule[]> => {
    const allowed = await Promise.all(rules.map(async (rule) => await isAllowed(send, rule)));
    return rules.filter((_, index) => allowed[index]);
  };
  const [allowed, dangerous, unlimited, ingressClasses, storageClasses] = await Promise.all([
    judgeAccess(requiredAccess),
    judgeAccess(dangerousAccess),
    isAllowed(send, unlimitedAccess),
    listClasses(
      send,
      ingress.hasGateway
        ? '/apis/gateway.networking.k8s.io/v1/gatewayclasses'
        : '/apis/networking.k8s.io/v1/ingressclasses',
    ),
    listClasses(send, '/apis/storage.k8s.io/v1/storageclasses'),
  ]);
  const findings: ClusterFinding[] = [
    { subject: 'connection', result: 'ok', message: `${server} accepts the account ${account}.` },
    judgeVersion(version),
    judgePermissions(allowed),
    judgeExcess({ dangerous, unlimited }),
    judgeIngress(ingressClasses, ingress),
    judgeStorage(storageClasses),
    judgeUserNamespaces(version),
  ];
  return { version, findings };
}

type Send = ClusterSession['send'];

async function readVersion(send: Send, server: string): Promise<string> {
  const { status, body } = await send('GET', '/version');
  if (status === 401 || status === 403) throw rejectedError(server, status);
  const version = Version.safeParse(body);
  if (status === 200 && version.success) return version.data.gitVersion;
  throw settingError(
    `${server} is not the API server of a Kubernetes cluster: it does not answer GET /version as one does (${status}).`,
    'clusters[0].cluster.server: is not the API server of a Kubernetes cluster',
  );
}

/** API servers tell their version to everyone, so only this shows that they know the account. */
async function readAccount(send: Send, server: string): Promise<string> {
  const { status, body } = await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  const review = SelfReview.safeParse(body);
  const { username = '' } = review.data?.status.userInfo ?? {};
  if (status >= 300 || username === '' || username === 'system:anonymous') throw rejectedError(server, status);
  return /^[\w:.@/-]{1,253}$/.test(username) ? username : 'of the kubeconfig';
}

const rejectedError = (server: string, status: number) =>
  settingError(
    `${server} does not accept the credentials (${status}). Check that they are of this cluster and have not expired.`,
    `users[0].user: is not accepted by the API server (${status})`,
  );

async function isAllowed(send: Send, { verb, group = '', resource, subresource }: ClusterAccessRule): Promise<boolean> {
  const { status, body } = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb, group, resource, subresource } },
  });
  const review = AccessReview.safeParse(body);
  return status < 300 && review.success && review.data.status.allowed;
}

async function listClasses(send: Send, path: string): Promise<InstalledClasses> {
  const { status, body } = await send('GET', `${path}?limit=200`);
  if (status === 401 || status === 403) return 'forbidden';
  const list = ClassList.safeParse(body);
  if (status !== 200 || !list.success) return [];
  return list.data.items.map(({ metadata: { name, annotations = {} } }) => ({
    name,
    isDefault: Object.entries(annotations).some(
      ([key, value]) => key.endsWith('/is-default-class') && value === 'true',
    ),
  }));
}
