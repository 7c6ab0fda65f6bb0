import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, AwsSts } from './aws-sts.ts';
import type { CloudState } from './cloud-state.ts';
import { GoogleSts } from './google-sts.ts';
import { TokenVerifier } from './token-verifier.ts';

type CloudOptions = {
  port: number;
  state: CloudState;
  now?: () => Date;
  /** The time for which the keys of an issuer are kept; the original keeps them for hours. */
  keysCacheMs?: number;
};

const bodyBytesMax = 256 * 1024;
const serviceAccountPath = /^\/v1\/projects\/-\/serviceAccounts\/([^/]+):generateAccessToken$/;

/** Starts the token services of AWS and Google Cloud, which verify tokens with the keys that their issuers publish. */
export async function startCloud({ port, state, now = () => new Date(), keysCacheMs = 3_600_000 }: CloudOptions) {
  const options = { state, now, verifier: new TokenVerifier({ now, keysCacheMs }) };
  const services = { aws: new AwsSts(options), google: new GoogleSts(options) };
  const server = createServer((request, response) => {
    handle(request, services)
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    endpoints: { awsSts: url, googleSts: url, googleIam: url },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(request: IncomingMessage, { aws, google }: { aws: AwsSts; google: GoogleSts }): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const body = await readBody(request);
  if (request.method !== 'POST') return { status: 404, type: 'text/plain', body: 'Not found' };
  if (pathname === '/') return await aws.handle(body, request.headers);
  if (pathname === '/v1/token') return await google.exchange(body);
  const [, serviceAccount] = serviceAccountPath.exec(pathname) ?? [];
  if (serviceAccount === undefined) return { status: 404, type: 'text/plain', body: 'Not found' };
  return google.generateAccessToken(decodeURIComponent(serviceAccount), request.headers);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) throw new Error('The body is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
