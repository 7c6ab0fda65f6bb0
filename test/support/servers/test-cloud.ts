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
      },
    ],
    google: {
      providers: [{ name: googleSpec.workloadIdentityProvider, issuer }],
      serviceAccounts: { [googleSpec.serviceAccount]: [`principal://iam.googleapis.com/${pool}/subject/org:acme`] },
    },
  };
  const cloud = await startCloud({ port: 0, state, ...options });
  onCleanup(cloud.close);
  return { ...cloud, state };
}
