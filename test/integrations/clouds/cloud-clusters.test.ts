import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClouds } from '../../../src/integrations/clouds/create-clouds.ts';
import { awsSpec, eksCluster, gkeCluster, googleSpec } from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const signIn = { token: 'head.claims.signature', session: 'delivery-clusters-acme' };
const credentials =
  '<R><AccessKeyId>ASIA0</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></R>';
const expireTime = '2027-01-01T01:00:00Z';

type Answer = { status?: number; headers?: Record<string, string>; body: string | object };

/** Starts clouds that sign everyone in, and answer what they are asked about a cluster as they are told. */
async function start(answer: Answer) {
  const paths: string[] = [];
  const sent: { method: string | undefined; type: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { 'content-type': type, authorization } = request.headers;
    sent.push({ method: request.method, type, authorization });
    const { pathname } = new URL(request.url ?? '/', 'http://cloud.test');
    if (pathname === '/') return void response.end(credentials);
    if (pathname === '/v1/token') return void response.end('{"access_token":"federated"}');
    if (pathname.endsWith(':generateAccessToken'))
      return void response.end(JSON.stringify({ accessToken: 'ya29.c.x', expireTime }));
    paths.push(request.url ?? '');
    const { status = 200, headers = {}, body } = answer;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => {
    await judged.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { awsSts: url, awsEks: url, googleSts: url, googleIam: url, googleContainer: url };
  return { clouds: createClouds({ endpoints, judged, now: () => new Date('2027-01-01T00:00:00Z') }), paths, sent };
}

const refusal = { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/coral/' };
const active = { status: 'ACTIVE', endpoint: 'https://k8s.example.com/', certificateAuthority: { data: 'Q0E=' } };

describe('a cluster of EKS', () => {
  it('is looked up by its name, with its address and its authority', async () => {
    const { clouds, paths } = await start({ body: { cluster: active } });
    expect(await clouds.findCluster(awsSpec, signIn, eksCluster)).toEqual({
      server: 'https://k8s.example.com',
      caData: 'Q0E=',
    });
    expect(paths).toEqual(['/clusters/zones']);
  });

  it.each<[string, Answer, string]>([
    ['no JSON', { body: 'Welcome' }, 'UnreadableResponse'],
    ['no cluster', { body: {} }, 'UnreadableResponse'],
    ['an address without TLS', { body: { cluster: { ...active, endpoint: 'http://k8s' } } }, 'UnreadableResponse'],
    ['an authority that is no base64', { body: { cluster: { ...active, certificateAuthority: { data: '<' } } } }, 'Un'],
    ['a refusal', { status: 403, headers: refusal, body: { message: 'No' } }, 'AccessDeniedException'],
    ['a refusal without a code', { status: 403, body: { message: 'No' } }, 'UnreadableResponse'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1' }, body: '' }, 'UnreadableResponse'],
    ['a failure', { status: 503, body: '' }, 'Unavailable'],
    ['a cluster that has no address yet', { body: { cluster: { status: 'CREATING' } } }, 'ClusterNotActive'],
    [
      'a cluster that has no authority yet',
      { body: { cluster: { ...active, certificateAuthority: undefined } } },
      'ClusterNotActive',
    ],
  ])('is refused after %s', async (_, answer, code) => {
    const { clouds } = await start(answer);
    const found = await clouds.findCluster(awsSpec, signIn, eksCluster);
    expect(found).toMatchObject({ code: expect.stringMatching(new RegExp(`^${code}`)) as string });
  });

  it('gets a token without being asked, which names it and ends within the session', async () => {
    const { clouds, paths } = await start({ body: '' });
    const made = await clouds.createClusterToken(awsSpec, signIn, eksCluster);
    expect(made).toMatchObject({ expiresAt: '2027-01-01T00:14:00.000Z' });
    const token = 'token' in made ? made.token : '';
    const url = new URL(Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString());
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      'X-Amz-Expires': '60',
      'X-Amz-Date': '20270101T000000Z',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Security-Token': 't',
    });
    expect(token).not.toContain('=');
    expect(paths).toEqual([]);
  });
});

describe('a cluster of GKE', () => {
  const running = { status: 'RUNNING', endpoint: '192.0.2.10', masterAuth: { clusterCaCertificate: 'Q0E=' } };
  const dns = { endpoint: 'gke-1.europe-west3.gke.goog', allowExternalTraffic: true };

  it('is looked up by its full name, with its address and its authority', async () => {
    const { clouds, paths } = await start({ body: running });
    expect(await clouds.findCluster(googleSpec, signIn, gkeCluster)).toEqual({
      server: 'https://192.0.2.10',
      caData: 'Q0E=',
    });
    expect(paths).toEqual([`/v1/${gkeCluster}`]);
  });

  it('is asked for with the token of the service account, which the exchanged token of the pool gives', async () => {
    const { clouds, sent } = await start({ body: running });
    await clouds.findCluster(googleSpec, signIn, gkeCluster);
    const type = 'application/json';
    expect(sent).toEqual([
      { method: 'POST', type, authorization: undefined },
      { method: 'POST', type, authorization: 'Bearer federated' },
      { method: 'GET', type: undefined, authorization: 'Bearer ya29.c.x' },
    ]);
  });

  it('is reached by its DNS endpoint, whose authority is public, if traffic from outside is allowed there', async () => {
    const at = async (dnsEndpointConfig: object) => {
      const { clouds } = await start({ body: { ...running, controlPlaneEndpointsConfig: { dnsEndpointConfig } } });
      return await clouds.findCluster(googleSpec, signIn, gkeCluster);
    };
    expect(await at(dns)).toEqual({ server: `https://${dns.endpoint}` });
    expect(await at({ allowExternalTraffic: true })).toMatchObject({ server: 'https://192.0.2.10' });
    expect(await at({ ...dns, allowExternalTraffic: false })).toMatchObject({ server: 'https://192.0.2.10' });
  });

  it.each<[string, Answer, string]>([
    ['no JSON', { body: 'Welcome' }, 'UnreadableResponse'],
    ['an address with a path', { body: { ...running, endpoint: '192.0.2.10/x' } }, 'UnreadableResponse'],
    ['an address with a user', { body: { ...running, endpoint: 'a@192.0.2.10' } }, 'UnreadableResponse'],
    ['a cluster without an authority', { body: { ...running, masterAuth: {} } }, 'ClusterNotActive'],
    ['a cluster that has no address yet', { body: { ...running, endpoint: undefined } }, 'ClusterNotActive'],
    ['a cluster with an empty address', { body: { ...running, endpoint: '' } }, 'ClusterNotActive'],
    ['a refusal', { status: 404, body: { error: { status: 'NOT_FOUND', message: 'No' } } }, 'NOT_FOUND'],
  ])('is refused after %s', async (_, answer, code) => {
    const { clouds } = await start(answer);
    expect(await clouds.findCluster(googleSpec, signIn, gkeCluster)).toMatchObject({ code });
  });

  it('gets the access token of the service account, with its end', async () => {
    const { clouds } = await start({ body: '' });
    expect(await clouds.createClusterToken(googleSpec, signIn, gkeCluster)).toEqual({
      token: 'ya29.c.x',
      expiresAt: '2027-01-01T01:00:00.000Z',
    });
  });
});
