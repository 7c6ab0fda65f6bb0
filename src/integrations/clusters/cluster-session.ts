import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { isServiceError } from '../../errors.ts';
import type { ClusterAccess } from '../../rules/clusters/cluster-access.ts';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import { settingError, toConnectionError } from './cluster-error.ts';

/** One person waits for a check, and the API server is asked several times. */
const timeoutMs = 10_000;
const bytesMax = 2 * 1024 * 1024;

export type ClusterResponse = { status: number; body: unknown };

/** Sends requests to an API server with the credentials of its kubeconfig, without retries. */
export type ClusterSession = {
  send(method: 'GET' | 'POST', path: string, body?: object): Promise<ClusterResponse>;
  close(): Promise<void>;
};

type TlsOptions = { ca?: Buffer; cert?: Buffer; key?: Buffer };
/** Connects only to destinations that the installation allows. */
export type CreateDispatcher = (tls: TlsOptions) => Dispatcher;

export function openClusterSession(access: ClusterAccess, createDispatcher: CreateDispatcher): ClusterSession {
  const dispatcher = createDispatcher(toTlsOptions(access));
  const request = fetchWithTimeout({ timeoutMs, bytesMax, dispatcher });
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(access.token !== undefined && { authorization: `Bearer ${access.token}` }),
  };
  return {
    async send(method, path, body) {
      try {
        const response = await request(`${access.server}${path}`, {
          method,
          headers,
          body: body ? JSON.stringify(body) : null,
          // A redirect could lead the credentials to another server.
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const text = await response.text();
        return { status: response.status, body: parseJson(text) };
      } catch (error) {
        throw isServiceError(error) ? error : toConnectionError(error, access.server);
      }
    },
    close: async () => await dispatcher.destroy(),
  };
}

/** Decodes the certificates; throws when one of them cannot be used, because TLS would fail with its text. */
export function toTlsOptions({ caData, certData, keyData }: ClusterAccess): TlsOptions {
  const [ca, cert, key] = [caData, certData, keyData].map((data) =>
    data === undefined ? undefined : Buffer.from(data, 'base64'),
  );
  assertReadable('clusters[0].cluster.certificate-authority-data: has no readable certificate', () => {
    if (ca) new X509Certificate(ca);
  });
  assertReadable('users[0].user: has no readable client certificate with its private key', () => {
    if (!cert || !key) return;
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('other key');
  });
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

function assertReadable(detail: string, read: () => void): void {
  try {
    read();
  } catch {
    throw settingError(`The kubeconfig cannot be used: ${detail}.`, detail);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
