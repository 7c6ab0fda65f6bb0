import { z } from 'zod';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { RefusedByCloud, unreadable } from './cloud-request.ts';
import type { CloudCluster, CloudClusterToken, CloudEndpoints, CloudSignIn } from './clouds.ts';
import { callGoogle, createServiceAccountToken, type GoogleOptions } from './google.ts';

/** GKE has no address of a cluster that is being created. */
const Description = z.object({
  status: z.string(),
  endpoint: z.string().optional(),
  masterAuth: z.object({ clusterCaCertificate: z.base64().optional() }).optional(),
  controlPlaneEndpointsConfig: z
    .object({
      dnsEndpointConfig: z
        .object({ endpoint: z.string().optional(), allowExternalTraffic: z.boolean().optional() })
        .optional(),
    })
    .optional(),
});

type Options = GoogleOptions & { endpoints: Pick<CloudEndpoints, 'googleContainer'> };

/** Looks up a GKE cluster by its full name: `projects/<project>/locations/<location>/clusters/<name>`. */
export async function getGkeCluster(
  account: CloudAccountSpec,
  signIn: CloudSignIn,
  { cluster, ...options }: Options & { cluster: string },
): Promise<CloudCluster> {
  const { accessToken } = await createServiceAccountToken(account, signIn, { ...options, lifetimeSeconds: 300 });
  const url = `${options.endpoints.googleContainer}/v1/${cluster}`;
  const { status, endpoint, masterAuth, controlPlaneEndpointsConfig } = await callGoogle(
    options.send,
    url,
    Description,
    { bearer: accessToken },
  );
  const dns = controlPlaneEndpointsConfig?.dnsEndpointConfig;
  // The certificate of the DNS endpoint is issued by a public authority.
  if (dns?.allowExternalTraffic === true && dns.endpoint !== undefined) return { server: toServer(dns.endpoint, url) };
  const caData = masterAuth?.clusterCaCertificate;
  if (endpoint === undefined || endpoint === '' || caData === undefined)
    throw new RefusedByCloud('ClusterNotActive', `The cluster has no API server yet: its status is ${status}.`);
  return { server: toServer(endpoint, url), caData };
}

function toServer(host: string, url: string): string {
  const server = `https://${host}`;
  if (URL.parse(server)?.origin !== server) throw unreadable(url, 200);
  return server;
}

/** GKE API servers accept the access tokens of service accounts. */
export async function createGkeToken(
  account: CloudAccountSpec,
  signIn: CloudSignIn,
  options: GoogleOptions,
): Promise<CloudClusterToken> {
  const lifetimeSeconds = 3_600;
  const { accessToken, expireTime } = await createServiceAccountToken(account, signIn, { ...options, lifetimeSeconds });
  return { token: accessToken, expiresAt: new Date(expireTime).toISOString() };
}
