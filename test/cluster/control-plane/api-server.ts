import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { startProgram, type RunningProgram } from './start-program.ts';

export type ApiServer = {
  server: string;
  token: string;
  /** The file of its CA certificate. */
  caFile: string;
  /** The file of the key that signs service account tokens. */
  serviceAccountKeyFile: string;
  start(): Promise<RunningProgram>;
  isReady(): Promise<boolean>;
};

/** Prepares an API server with certificates, an admin token and service account keys that survive restarts. */
export async function prepareApiServer(options: {
  folder: string;
  executable: string;
  etcdUrl: string;
  /** The webhook that authenticates tokens which the server does not know itself. */
  tokenReviewUrl?: string | undefined;
}): Promise<ApiServer> {
  const { folder, executable, etcdUrl, tokenReviewUrl } = options;
  const port = await reservePort();
  const certificates = join(folder, 'certificates');
  await mkdir(certificates);
  const caFile = join(certificates, 'apiserver.crt');
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(folder, 'tokens.csv');
  await writeFile(tokenFile, `${token},admin,admin,"system:masters"\n`);
  const serviceAccountKeyFile = join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(serviceAccountKeyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }));

  const server = `https://127.0.0.1:${port}`;
  const issuer = 'https://kubernetes.default.svc.cluster.local';
  const flags = {
    'etcd-servers': etcdUrl,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': String(port),
    'cert-dir': certificates,
    'token-auth-file': tokenFile,
    'authorization-mode': 'RBAC',
    'service-account-issuer': issuer,
    'service-account-key-file': serviceAccountKeyFile,
    'service-account-signing-key-file': serviceAccountKeyFile,
    'service-cluster-ip-range': '10.0.0.0/16',
    // The endpoints of the Service "kubernetes" cannot be on loopback, and no test uses them.
    'endpoint-reconciler-type': 'none',
    ...(tokenReviewUrl !== undefined && (await writeWebhookConfig(folder, tokenReviewUrl))),
  };
  return {
    server,
    token,
    caFile,
    serviceAccountKeyFile,
    start: () => startProgram('The API server', { executable, flags }, join(folder, 'api-server.log')),
    async isReady() {
      const dispatcher = new Agent({ connect: { ca: await readFile(caFile) } });
      try {
        const response = await fetch(`${server}/readyz`, { dispatcher, headers: { authorization: `Bearer ${token}` } });
        return response.ok;
      } finally {
        await dispatcher.close();
      }
    },
  };
}

async function writeWebhookConfig(folder: string, server: string): Promise<Record<string, string>> {
  const file = join(folder, 'token-review.json');
  await writeFile(file, buildKubeconfig({ server, token: 'none' }));
  return {
    'authentication-token-webhook-config-file': file,
    'authentication-token-webhook-version': 'v1',
    // A test removes an account and sees at once that its tokens are refused.
    'authentication-token-webhook-cache-ttl': '0s',
  };
}
