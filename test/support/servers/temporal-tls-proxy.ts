// The x509 library needs this import first.
import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { forwardCall, type GrpcProxy, rejectCall, startGrpcProxy } from './grpc-proxy.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeys>>;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

type Issuer = { certificate: X509Certificate; keys: KeyPair };
export type CertificateFiles = { certificate: string; key: string };
export type CertificateAuthority = {
  /** The file of the CA certificate. */
  file: string;
  issue(name: string): Promise<CertificateFiles>;
};

/** Creates a certificate authority that writes its files into a folder. */
export async function createCertificateAuthority(folder: string): Promise<CertificateAuthority> {
  await mkdir(folder, { recursive: true });
  const keys = await generateKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Authority',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const file = join(folder, 'authority.pem');
  await writeFile(file, root.toString('pem'));
  return { file, issue: async (name) => await issueCertificate({ certificate: root, keys }, name, folder) };
}

const generateKeys = async () => await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function issueCertificate(issuer: Issuer, name: string, folder: string): Promise<CertificateFiles> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: issuer.certificate.subject,
    signingKey: issuer.keys.privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  await writeFile(files.certificate, certificate.toString('pem'));
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  await writeFile(files.key, PemConverter.encode(exported, 'PRIVATE KEY'));
  return files;
}

export type TemporalTlsProxy = GrpcProxy;
type TemporalTlsProxyOptions = { targetAddress: string; authority: CertificateAuthority; apiKey?: string };

const grpcUnauthenticated = 16;

/**
 * Starts a proxy that requires a client certificate and an API key, as a Temporal server on another machine does. The
 * development server supports neither.
 */
export async function startTemporalTlsProxy({
  targetAddress,
  authority,
  apiKey,
}: TemporalTlsProxyOptions): Promise<TemporalTlsProxy> {
  const files = await authority.issue('temporal.test');
  const [cert, key, ca] = await Promise.all(
    [files.certificate, files.key, authority.file].map((file) => readFile(file)),
  );
  const server = createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true } as never);
  return await startGrpcProxy(server, targetAddress, (stream, headers, upstream) => {
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) rejectCall(stream, grpcUnauthenticated);
    else forwardCall(stream, headers, upstream);
  });
}
