import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { freePort } from '../../../src/main/ports.ts';
import { startProgram, type Running } from './start-program.ts';

export type ApiServer = {
  server: string;
  token: string;
  /** The file of the certificates that it is to be trusted by. */
  caFile: string;
  /** The key that service accounts' tokens are signed with. */
  serviceAccountKeyFile: string;
  start(): Promise<Running>;
  isReady(): Promise<boolean>;
};

/** An API server with certificates, an admin's token and service accounts of its own; it starts and restarts as the same. */
export async function prepareApiServer(where: {
  folder: string;
  executable: string;
  etcdUrl: string;
}): Promise<ApiServer> {
  const { folder, executable, etcdUrl } = where;
  const port = await freePort();
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
    // The endpoints of the Service "kubernetes" may not be on loopback, and nobody here goes through them.
    'endpoint-reconciler-type': 'none',
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
        const answer = await fetch(`${server}/readyz`, { dispatcher, headers: { authorization: `Bearer ${token}` } });
        return answer.ok;
      } finally {
        await dispatcher.close();
      }
    },
  };
}
