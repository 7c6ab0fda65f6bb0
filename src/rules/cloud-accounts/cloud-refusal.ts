import { toAudience, toSubject } from './identity-token.ts';
import type { CloudAccountSpec } from './kinds.ts';

/** The refusal of a provider, with its own code and words, or with a code of `serviceCodes` if it gave none. */
export type CloudRefusal = { code: string; message: string };

/** Codes of failures that are not the provider's own words. */
export const serviceCodes = {
  /** No connection. */
  unreachable: 'Unreachable',
  /** The provider is overloaded or down. */
  unavailable: 'Unavailable',
  /** A response that is not of the protocol. */
  unreadable: 'UnreadableResponse',
} as const;

type Context = {
  spec: CloudAccountSpec;
  issuer: string;
  org: string;
  /** The cluster that was asked for, if one was. */
  cluster?: string;
};
type Fix = (context: Context, message: string) => string;

const reachable: Fix = ({ issuer }) =>
  `Make ${issuer}/.well-known/openid-configuration reachable from the internet by https, with a certificate of a public authority.`;

const setClock: Fix = () => 'Ask an operator to correct the clock of the installation, then check again.';

const changeTrustPolicy: Fix = ({ spec, issuer, org }) =>
  `Let the trust policy of ${spec.roleArn} allow sts:AssumeRoleWithWebIdentity to the identity provider ${toPolicyName(issuer)}, with the audience ${toAudience(spec)} and the subject ${toSubject(org)}. Check that the role exists.`;

const fixIdentityProvider: Fix = (context, message) => {
  const { issuer, spec } = context;
  if (/audience/i.test(message))
    return `Add the audience ${toAudience(spec)} to the identity provider ${toPolicyName(issuer)} in IAM.`;
  if (/no openidconnect provider/i.test(message))
    return `Create an identity provider (OpenID Connect) in IAM of the role’s account, with the URL ${issuer} and the audience ${toAudience(spec)}.`;
  return reachable(context, message);
};

const fixGoogleGrant: Fix = (context, message) => {
  const { spec, issuer, org } = context;
  if (/audience/i.test(message))
    return `Allow the audience ${toAudience(spec)} in the workload identity provider, or remove its own list of audiences.`;
  if (/attribute condition/i.test(message))
    return `Let the attribute condition of the workload identity provider accept assertion.sub == '${toSubject(org)}'.`;
  if (/expired|stale|clock|future/i.test(message)) return setClock(context, message);
  if (/issuer /i.test(message) && /does not match/i.test(message))
    return `Set the issuer of the workload identity provider to ${issuer}.`;
  return reachable(context, message);
};

const waitForCluster: Fix = () => 'Wait until the cloud has created the cluster.';

const fixGooglePermission: Fix = ({ spec, org, cluster }, message) => {
  if (/container\.clusters\.get/.test(message))
    return `Grant roles/container.clusterViewer to ${spec.serviceAccount} in the project of ${cluster}.`;
  if (/kubernetes engine api/i.test(message)) return 'Enable the Kubernetes Engine API in the project of the cluster.';
  return `Grant roles/iam.workloadIdentityUser on ${spec.serviceAccount} to principal://iam.googleapis.com/${toPool(spec)}/subject/${toSubject(org)}, and enable the IAM Service Account Credentials API.`;
};

const fixes: Record<CloudAccountSpec['provider'], Record<string, Fix>> = {
  aws: {
    AccessDenied: changeTrustPolicy,
    InvalidIdentityToken: fixIdentityProvider,
    IDPCommunicationError: reachable,
    ExpiredTokenException: setClock,
    IDPRejectedClaim: changeTrustPolicy,
    RegionDisabledException: ({ spec }) =>
      `Activate STS in ${spec.region} in the account settings of IAM, or name another region.`,
    ValidationError: () => 'Check the role ARN.',
    ResourceNotFoundException: ({ spec, cluster }) =>
      `Check that ${spec.region}, the region of the cloud account, has a cluster "${cluster}".`,
    AccessDeniedException: ({ spec, cluster }) => `Allow eks:DescribeCluster on "${cluster}" to ${spec.roleArn}.`,
    ClusterNotActive: waitForCluster,
  },
  google: {
    invalid_grant: fixGoogleGrant,
    invalid_target: ({ spec }) =>
      `Check that ${spec.workloadIdentityProvider} exists and is enabled, and that it names the number of the project.`,
    invalid_request: () => 'Check the name of the workload identity provider.',
    unauthorized_client: fixGoogleGrant,
    PERMISSION_DENIED: fixGooglePermission,
    NOT_FOUND: ({ spec, cluster }, message) =>
      /\bclusters\//.test(message)
        ? `Check that ${cluster} exists.`
        : `Check that the service account ${spec.serviceAccount} exists.`,
    ClusterNotActive: waitForCluster,
  },
};

const serviceFixes = new Map<string, string>([
  [
    serviceCodes.unreachable,
    'Check the region. If it is right, ask an operator whether the service may connect to the cloud.',
  ],
  [serviceCodes.unavailable, 'Check again later.'],
  [serviceCodes.unreadable, 'Check again later. If it persists, ask an operator which server answers for the cloud.'],
]);

/** Returns what a person can do about the refusal of a provider. */
export function toRefusalFix({ code, message }: CloudRefusal, context: Context): string {
  const fix = Object.entries(fixes[context.spec.provider]).find(([key]) => key === code)?.[1];
  return (
    fix?.(context, message) ??
    serviceFixes.get(code) ??
    'Compare the settings of the account here with those at the cloud, then check again.'
  );
}

/** IAM names an identity provider by its URL without the scheme. */
const toPolicyName = (issuer: string): string => issuer.replace(/^https?:\/\//, '');

const toPool = ({ workloadIdentityProvider = '' }: CloudAccountSpec): string =>
  workloadIdentityProvider.replace(/\/providers\/[^/]*$/, '');
