// The x509 library needs this import first.
import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

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

export type TemporalTlsProxy = { address: string; close(): Promise<void> };
type TemporalTlsProxyOptions = { targetAddress: string; authority: CertificateAuthority; apiKey?: string };

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
  const upstream = connect(`http://${targetAddress}`);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) return rejectCall(stream);
    const { ':scheme': _, ':authority': __, ...rest } = headers;
    const call = upstream.request(rest);
    call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    stream.pipe(call);
    call.on('response', (responseHeaders, flags) => {
      const endsStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(responseHeaders, { waitForTrailers: !endsStream, endStream: endsStream });
      if (endsStream) return;
      let trailers = {};
      call.on('trailers', (received) => (trailers = received));
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      call.pipe(stream);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const grpcUnauthenticated = '16';
function rejectCall(stream: ServerHttp2Stream): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': grpcUnauthenticated },
    { endStream: true },
  );
}
