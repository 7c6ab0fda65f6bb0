// What the next one stands on.
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

type Keys = Awaited<ReturnType<typeof newKeys>>;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

type Pair = { certificate: X509Certificate; keys: Keys };
export type Files = { certificate: string; key: string };
export type Authority = {
  /** The file of its own certificate. */
  file: string;
  issue(name: string): Promise<Files>;
};

/** Somebody who vouches for names, with files in a folder. */
export async function startAuthority(folder: string): Promise<Authority> {
  await mkdir(folder, { recursive: true });
  const keys = await newKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Authority',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const file = join(folder, 'authority.pem');
  await writeFile(file, root.toString('pem'));
  return { file, issue: async (name) => await issue({ certificate: root, keys }, name, folder) };
}

const newKeys = async () => await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function issue(by: Pair, name: string, folder: string): Promise<Files> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: by.certificate.subject,
    signingKey: by.keys.privateKey,
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

export type Gate = { address: string; close(): Promise<void> };
type GateOptions = { to: string; authority: Authority; apiKey?: string };

/**
 * What stands before a Temporal server that is not of this machine: TLS that demands a certificate of the authority,
 * and a key with every call. The development server itself knows neither.
 */
export async function startTemporalGate({ to, authority, apiKey }: GateOptions): Promise<Gate> {
  const files = await authority.issue('temporal.test');
  const [cert, key, ca] = await Promise.all(
    [files.certificate, files.key, authority.file].map((file) => readFile(file)),
  );
  const server = createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true } as never);
  const onward = connect(`http://${to}`);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) return refuse(stream);
    const { ':scheme': _, ':authority': __, ...rest } = headers;
    const call = onward.request(rest);
    call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    stream.pipe(call);
    call.on('response', (answer, flags) => {
      const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(answer, { waitForTrailers: !isOver, endStream: isOver });
      if (isOver) return;
      let trailers = {};
      call.on('trailers', (given) => (trailers = given));
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
      onward.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const unauthenticated = '16';
function refuse(stream: ServerHttp2Stream): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': unauthenticated },
    { endStream: true },
  );
}
