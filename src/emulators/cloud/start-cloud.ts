import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsSessions } from './aws-sessions.ts';
import { type Answer, AwsSts } from './aws-sts.ts';
import type { CloudState } from './cloud-state.ts';
import { Eks } from './eks.ts';
import { Gke } from './gke.ts';
import { GoogleSts, toJson } from './google-sts.ts';
import { reviewToken } from './review-token.ts';
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
const eksPath = /^\/clusters\/([^/]+)$/;
const gkePath = /^\/v1\/(projects\/[^/]+\/locations\/[^/]+\/clusters\/[^/]+)$/;
const reviewPath = /^\/token-review\/([^/]+)$/;

/**
 * Starts the token services of AWS and Google Cloud, which verify tokens with the keys that their issuers publish, and the
 * EKS and GKE APIs. A Kubernetes API server that asks `reviewUrl` about tokens accepts those of the clouds.
 */
export async function startCloud({ port, state, now = () => new Date(), keysCacheMs = 3_600_000 }: CloudOptions) {
  const sessions = new AwsSessions(now);
  const options = { state, now, sessions, verifier: new TokenVerifier({ now, keysCacheMs }) };
  const google = new GoogleSts(options);
  const services = { sts: new AwsSts(options), eks: new Eks(options), google, gke: new Gke({ state, tokens: google }) };
  const review = async (token: string, cluster: string) =>
    await reviewToken(token, cluster, { state, tokens: google, stsUrl: url });
  const server = createServer((request, response) => {
    handle(request, { ...services, review })
      .then(({ status, type, body, headers }) =>
        response.writeHead(status, { 'content-type': type, ...headers }).end(body),
      )
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    endpoints: { awsSts: url, awsEks: url, googleSts: url, googleIam: url, googleContainer: url },
    /** The webhook that authenticates tokens for an API server, which is a cluster of this name at its cloud. */
    reviewUrl: (cluster: string) => `${url}/token-review/${encodeURIComponent(cluster)}`,
    review,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Services = {
  sts: AwsSts;
  eks: Eks;
  google: GoogleSts;
  gke: Gke;
  review: (token: string, cluster: string) => Promise<object>;
};

async function handle(request: IncomingMessage, { sts, eks, google, gke, review }: Services): Promise<Answer> {
  const { method = '', headers } = request;
  const url = new URL(request.url ?? '/', `http://${headers.host}`);
  const { pathname } = url;
  const body = await readBody(request);
  const read = (path: RegExp): string | undefined => {
    const part = path.exec(pathname)?.[1];
    return part === undefined ? undefined : decodeURIComponent(part);
  };
  if (pathname === '/') return await sts.handle({ method, url, headers, body });
  if (method === 'POST' && pathname === '/v1/token') return await google.exchange(body);
  const account = read(serviceAccountPath);
  if (method === 'POST' && account !== undefined) return google.generateAccessToken(account, body, headers);
  const eksCluster = read(eksPath);
  if (method === 'GET' && eksCluster !== undefined)
    return await eks.describe(eksCluster, { method, url, headers, body });
  const gkeCluster = read(gkePath);
  if (method === 'GET' && gkeCluster !== undefined) return gke.get(gkeCluster, headers);
  const reviewed = read(reviewPath);
  if (method !== 'POST' || reviewed === undefined) return { status: 404, type: 'text/plain', body: 'Not found' };
  const { apiVersion, spec } = JSON.parse(body) as { apiVersion: string; spec: { token: string } };
  return toJson(200, { apiVersion, kind: 'TokenReview', status: await review(spec.token, reviewed) });
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
