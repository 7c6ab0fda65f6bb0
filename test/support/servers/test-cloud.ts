import { onTestFinished } from 'vitest';
import type { CloudState, TrustPolicy } from '../../../src/emulators/cloud/cloud-state.ts';
import { startCloud } from '../../../src/emulators/cloud/start-cloud.ts';

export const awsAccountId = '123456789012';
export const roleArn = `arn:aws:iam::${awsAccountId}:role/delivery`;
export const awsSpec = { provider: 'aws' as const, roleArn, region: 'eu-central-1' };
export const pool = 'projects/123456789/locations/global/workloadIdentityPools/delivery';
export const googleSpec = {
  provider: 'google' as const,
  workloadIdentityProvider: `${pool}/providers/platform`,
  serviceAccount: 'delivery@my-project.iam.gserviceaccount.com',
};

/** Names of clusters at both clouds. */
export const eksCluster = 'zones';
export const gkeCluster = 'projects/my-project/locations/europe-west3/clusters/zones';

type ClusterAddress = { url: string; caData: string };

/** Lets the accounts of the org "acme" look up a cluster at each cloud, which has the address of an API server. */
export function addClusters({ aws, google }: CloudState, { url, caData }: ClusterAddress): void {
  const [account] = aws;
  if (account)
    account.clusters[eksCluster] = {
      status: 'ACTIVE',
      region: awsSpec.region,
      endpoint: url,
      caData,
      viewers: [roleArn],
      accessEntries: { [roleArn]: ['service-zones'] },
    };
  google.clusters[gkeCluster] = {
    status: 'RUNNING',
    endpoint: url.replace('https://', ''),
    caData,
    viewers: [googleSpec.serviceAccount],
  };
}

/** The trust policy that the admin of an account writes for an org. */
export function buildTrustPolicy(issuer: string, subject: string, audience = 'sts.amazonaws.com'): TrustPolicy {
  const provider = issuer.replace(/^https?:\/\//, '');
  return {
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:aws:iam::${awsAccountId}:oidc-provider/${provider}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${provider}:aud`]: audience, [`${provider}:sub`]: subject } },
      },
    ],
  };
}

type TestCloudOptions = {
  issuer: string;
  now?: () => Date;
  keysCacheMs?: number;
  onCleanup?: (close: () => Promise<void>) => void;
};

/** Starts the clouds with an account each that trusts the org "acme" of an issuer. */
export async function startTestCloud({ issuer, onCleanup = onTestFinished, ...options }: TestCloudOptions) {
  const state: CloudState = {
    aws: [
      {
        id: awsAccountId,
        oidcProviders: [{ url: issuer, clientIds: ['sts.amazonaws.com'] }],
        roles: { [roleArn]: buildTrustPolicy(issuer, 'org:acme') },
        clusters: {},
      },
    ],
    google: {
      providers: [{ name: googleSpec.workloadIdentityProvider, issuer }],
      serviceAccounts: { [googleSpec.serviceAccount]: [`principal://iam.googleapis.com/${pool}/subject/org:acme`] },
      clusters: {},
    },
  };
  const cloud = await startCloud({ port: 0, state, ...options });
  onCleanup(cloud.close);
  return { ...cloud, state };
}
