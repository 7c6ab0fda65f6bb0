import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { assumeRole, type AwsOptions, sessionSeconds, toRegionalUrl, toStsUrl } from './aws.ts';
import { parseJson, RefusedByCloud, unreadable } from './cloud-request.ts';
import type { CloudCluster, CloudClusterToken, CloudSignIn } from './clouds.ts';
import { trimSlashes } from '../../rules/trim-slashes.ts';

/** EKS has no address of a cluster that is being created. */
const Description = z.object({
  cluster: z.object({
    status: z.string(),
    endpoint: z.url({ protocol: /^https$/ }).optional(),
    certificateAuthority: z.object({ data: z.base64().nonempty() }).optional(),
  }),
});
const EksError = z.object({ message: z.string() });

type Options = AwsOptions & { eks: string | undefined };

/** Looks up an EKS cluster by its name in the region of the account. */
export async function getEksCluster(
  account: CloudAccountSpec,
  signIn: CloudSignIn,
  { cluster, ...options }: Options & { cluster: string },
): Promise<CloudCluster> {
  const { region = '' } = account;
  const credentials = await assumeRole(account, signIn, options);
  const url = `${toRegionalUrl('eks', options.eks, region)}clusters/${encodeURIComponent(cluster)}`;
  const { headers } = await new AwsV4Signer({ method: 'GET', url, ...credentials, service: 'eks', region }).sign();
  const { status, text, errorType } = await options.send(url, { method: 'GET', headers: Object.fromEntries(headers) });
  const body = parseJson(text);
  if (status !== 200) {
    const refusal = EksError.safeParse(body);
    if (errorType === undefined || !refusal.success) throw unreadable(url, status);
    throw new RefusedByCloud(errorType, refusal.data.message);
  }
  const description = Description.safeParse(body);
  if (!description.success) throw unreadable(url, status);
  const { endpoint, certificateAuthority, status: state } = description.data.cluster;
  if (endpoint === undefined || !certificateAuthority)
    throw new RefusedByCloud('ClusterNotActive', `The cluster has no API server yet: its status is ${state}.`);
  return { server: trimSlashes(endpoint), caData: certificateAuthority.data };
}

/** The lifetime that EKS expects in the presigned request; STS accepts the request for longer. */
const presignedSeconds = '60';
/** The credentials behind a token end after `sessionSeconds`, and clocks differ. */
const clockToleranceSeconds = 60;

/**
 * Makes a token as `aws eks get-token` does: a request to STS that is signed and not sent, and which the cluster sends to
 * learn who signed it. It is valid for one cluster, whose name it has in a signed header.
 */
export async function createEksToken(
  account: CloudAccountSpec,
  signIn: CloudSignIn,
  { cluster, now, ...options }: AwsOptions & { cluster: string; now: () => Date },
): Promise<CloudClusterToken> {
  const { region = '' } = account;
  const credentials = await assumeRole(account, signIn, options);
  const url = new URL(toStsUrl(options.sts, region));
  url.search = new URLSearchParams({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Expires': presignedSeconds,
  }).toString();
  const headers = { 'x-k8s-aws-id': cluster };
  const signedAt = now();
  const datetime = signedAt.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const request = { method: 'GET', url: url.href, headers, signQuery: true, service: 'sts', region, datetime };
  const signed = await new AwsV4Signer({ ...request, ...credentials }).sign();
  return {
    token: `k8s-aws-v1.${Buffer.from(signed.url.href).toString('base64url')}`,
    expiresAt: new Date(signedAt.getTime() + (sessionSeconds - clockToleranceSeconds) * 1_000).toISOString(),
  };
}
