import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createScratchFolder } from '../scratch-folder.ts';
import { createCertificateAuthority } from './temporal-tls-proxy.ts';

type Answer = { status?: number; body: object | string };
type Rule = { verb: string; resource: string; subresource?: string };
type ClusterServerOptions = {
  token?: string;
  version?: string;
  /** Whether the account has a permission; by default it has those of `deploy/workload-cluster.yaml`. */
  isAllowed?: (rule: Rule) => boolean;
  /** Decides about tokens, as a webhook does; by default one is accepted. */
  isAccepted?: (token: string) => Promise<boolean>;
  /** Answers by path, before all others. */
  answers?: Record<string, Answer>;
};

export const requiredByManifest = ({ verb, resource }: Rule): boolean =>
  (verb === 'create' && resource === 'namespaces') ||
  (['get', 'list'].includes(verb) && resource !== 'secrets' && resource !== '*');

const defaultClass = (kind: string, name: string, key: string) => ({
  kind,
  items: [{ metadata: { name, annotations: { [`${key}/is-default-class`]: 'true' } } }],
});

/** Starts the API server of a workload cluster, which knows one account unless it asks about tokens. */
export async function startClusterServer({
  token = 'token-of-the-cluster',
  version = 'v1.34.2',
  isAllowed = requiredByManifest,
  answers = {},
  isAccepted,
}: ClusterServerOptions = {}) {
  const authority = await createCertificateAuthority(await createScratchFolder());
  const { certificate, key } = await authority.issue('localhost');
  const requests: string[] = [];
  const account = { token };
  const judge = isAccepted ?? (async (given: string) => given === account.token);
  const server = createServer(
    { cert: await readFile(certificate), key: await readFile(key) },
    async (request, response) => {
      const { method, url = '', headers } = request;
      requests.push(`${method} ${url}`);
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const send = ({ status = 200, body }: Answer): void =>
        void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
      const path = decodeURIComponent(url.split('?')[0] ?? '');
      if (!(await judge(headers.authorization?.replace('Bearer ', '') ?? '')))
        return send({ status: 401, body: { reason: 'no' } });
      if (Object.hasOwn(answers, path)) return send(answers[path] as Answer);
      if (path === '/version') return send({ body: { gitVersion: version } });
      if (path.endsWith('/selfsubjectreviews'))
        return send({
          status: 201,
          body: { status: { userInfo: { username: 'system:serviceaccount:s:service-zones' } } },
        });
      if (path.endsWith('/selfsubjectaccessreviews')) {
        const { spec } = JSON.parse(text) as { spec: { resourceAttributes: Rule } };
        return send({ status: 201, body: { status: { allowed: isAllowed(spec.resourceAttributes) } } });
      }
      if (path.endsWith('/ingressclasses'))
        return send({ body: defaultClass('IngressClassList', 'traefik', 'ingressclass.kubernetes.io') });
      if (path.endsWith('/storageclasses'))
        return send({ body: defaultClass('StorageClassList', 'fast', 'storageclass.kubernetes.io') });
      return send({ status: 404, body: { reason: 'NotFound' } });
    },
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  const caData = (await readFile(authority.file)).toString('base64');
  return {
    url,
    caData,
    requests,
    account,
    kubeconfig: (bearer = token) => JSON.stringify(buildKubeconfig({ server: url, caData, token: bearer })),
  };
}

type Parts = { server?: string; caData?: string | undefined; token?: string };

export const buildKubeconfig = ({ server = 'https://k8s.example.com', caData, token = 'token' }: Parts = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [
    {
      name: 'c',
      cluster: { server, ...(caData !== undefined && { 'certificate-authority-data': caData }) } as object,
    },
  ],
  users: [{ name: 'u', user: { token } as object }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } as object }],
});
