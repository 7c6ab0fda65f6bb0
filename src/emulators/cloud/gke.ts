import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './aws-sts.ts';
import type { CloudState } from './cloud-state.ts';
import { type GoogleSts, toApiError, toJson } from './google-sts.ts';

type Options = { state: CloudState; tokens: GoogleSts };

/** The Kubernetes Engine API: clusters.get. */
export class Gke {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  get(name: string, { authorization = '' }: IncomingHttpHeaders): Answer {
    const { state, tokens } = this.#options;
    const account = tokens.findAccount(authorization.replace('Bearer ', ''));
    if (account === undefined)
      return toApiError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const cluster = state.google.clusters[name];
    if (!cluster) return toApiError(404, 'NOT_FOUND', `Not found: ${name}.`);
    if (!cluster.viewers.includes(account))
      return toApiError(403, 'PERMISSION_DENIED', `Required "container.clusters.get" permission(s) for "${name}".`);
    const { status, endpoint, dnsEndpoint, caData } = cluster;
    return toJson(200, {
      name: name.split('/').at(-1),
      status,
      ...(endpoint !== undefined && { endpoint }),
      masterAuth: { ...(caData !== undefined && { clusterCaCertificate: caData }) },
      controlPlaneEndpointsConfig: {
        dnsEndpointConfig: {
          endpoint: dnsEndpoint ?? 'gke-internal.example.gke.goog',
          allowExternalTraffic: dnsEndpoint !== undefined,
        },
      },
    });
  }
}
