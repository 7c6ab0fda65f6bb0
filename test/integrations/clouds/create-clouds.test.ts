import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createClouds } from '../../../src/integrations/clouds/create-clouds.ts';
import { awsSpec, googleSpec } from '../../support/servers/test-cloud.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const signIn = { token: 'head.claims.signature', session: 'delivery-check-acme' };

async function startServer(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const respond =
  (status: number, body: string, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

function createTestClouds(url: string, ...allowedInside: string[]) {
  const judged = createTestDispatcher(...allowedInside);
  onTestFinished(async () => await judged.destroy());
  const endpoints = { awsSts: url, awsEks: url, googleSts: url, googleIam: url, googleContainer: url };
  return createClouds({ endpoints, judged, now: () => new Date() });
}

const credentials =
  '<R><AccessKeyId>ASIA0</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Arn>a</Arn></R>';
const xmlError = (code: string, message: string): string =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

it.each([
  ['XML with an entity', 200, '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', 'UnreadableResponse'],
  ['credentials after a document type', 200, `<!DOCTYPE R>${credentials}`, 'UnreadableResponse'],
  ['credentials without a key', 200, credentials.replaceAll('AccessKeyId', 'Key'), 'UnreadableResponse'],
  ['credentials without a secret', 200, credentials.replaceAll('SecretAccessKey', 'Secret'), 'UnreadableResponse'],
  ['credentials without a session', 200, credentials.replaceAll('SessionToken', 'Token'), 'UnreadableResponse'],
  ['an identity without an ARN', 200, credentials.replaceAll('Arn', 'Account'), 'UnreadableResponse'],
  ['a refusal without a code', 403, '<ErrorResponse/>', 'UnreadableResponse'],
  ['no XML', 200, 'Welcome', 'UnreadableResponse'],
  ['XML without credentials', 200, '<AssumeRoleWithWebIdentityResponse/>', 'UnreadableResponse'],
  ['a code that is no code', 400, xmlError('&lt;b&gt; x', 'No'), 'UnreadableResponse'],
  ['a refusal', 403, xmlError('AccessDenied', 'No &amp; never'), 'AccessDenied'],
  ['too many requests', 429, '', 'Unavailable'],
  ['a failure', 500, xmlError('InternalFailure', ''), 'Unavailable'],
])('AWS responds with %s', async (_, status, body, code) => {
  const clouds = createTestClouds(await startServer(respond(status, body)), '127.0.0.1');
  expect(await clouds.check(awsSpec, signIn)).toMatchObject({ code });
});

it.each([
  ['no JSON', 200, 'Welcome', 'UnreadableResponse'],
  ['no token', 200, '{}', 'UnreadableResponse'],
  [
    'a refusal that looks like a token',
    400,
    '{"access_token":"t","accessToken":"t","expires_in":60,"expireTime":"2030-01-01T00:00:00Z"}',
    'UnreadableResponse',
  ],
  ['an error of OAuth', 400, '{"error":"invalid_grant","error_description":"No"}', 'invalid_grant'],
  ['an error of another API', 403, '{"error":{"status":"PERMISSION_DENIED","message":"No"}}', 'PERMISSION_DENIED'],
])('Google Cloud responds with %s', async (_, status, body, code) => {
  const clouds = createTestClouds(await startServer(respond(status, body)), '127.0.0.1');
  expect(await clouds.check(googleSpec, signIn)).toMatchObject({ code });
});

it.each([awsSpec, googleSpec])('sends the token of $provider to no address of a redirect', async (spec) => {
  const bodies: string[] = [];
  const thief = await startServer(async (request, response) => {
    for await (const chunk of request) bodies.push(String(chunk));
    response.writeHead(200).end();
  });
  const url = await startServer(respond(307, '', { location: `${thief}/` }));
  const clouds = createTestClouds(url, '127.0.0.1');
  expect(await clouds.check(spec, signIn)).toMatchObject({
    code: 'UnreadableResponse',
    message: expect.stringContaining('redirects to another address (307)'),
  });
  expect(bodies).toEqual([]);
});

it('connects to no address inside the network that the operator has not listed', async () => {
  const requests: string[] = [];
  const url = await startServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200).end();
  });
  expect(await createTestClouds(url).check(awsSpec, signIn)).toMatchObject({
    code: 'Unreachable',
    message: expect.stringContaining('127.0.0.1 has no public address'),
  });
  expect(requests).toEqual([]);
});

it('names the error of a connection', async () => {
  const closed = `http://127.0.0.1:${await reservePort()}`;
  expect(await createTestClouds(closed, '127.0.0.1').check(awsSpec, signIn)).toEqual({
    code: 'Unreachable',
    message: `${new URL(closed).host} cannot be reached. (ECONNREFUSED)`,
  });
});

it('names the regional endpoint of each partition', async () => {
  const judged = createTestDispatcher();
  onTestFinished(async () => await judged.destroy());
  const google = 'https://sts.invalid';
  const clouds = createClouds({
    endpoints: { googleSts: google, googleIam: google, googleContainer: google },
    judged,
    now: () => new Date(),
  });
  const china = { ...awsSpec, roleArn: awsSpec.roleArn.replace('arn:aws:', 'arn:aws-cn:'), region: 'cn-none-9' };
  const read = async (spec: typeof awsSpec) => JSON.stringify(await clouds.check(spec, signIn));
  expect(await read(china)).toContain('sts.cn-none-9.amazonaws.com.cn');
  expect(await read({ ...awsSpec, region: 'eu-none-9' })).toContain('sts.eu-none-9.amazonaws.com cannot');
});

it('returns no part of the token and no control character, also if the server says them', async () => {
  const message = `a\u0007b ${signIn.token} claims ${'x'.repeat(2_000)}`;
  const body = JSON.stringify({ error: 'invalid_grant', error_description: message });
  const clouds = createTestClouds(await startServer(respond(400, body)), '127.0.0.1');
  const result = await clouds.check(googleSpec, signIn);
  expect(result).toMatchObject({ message: expect.stringMatching(/^a b …\.…\.… … x+$/) });
  expect(JSON.stringify(result).length).toBeLessThan(600);
});

it('returns the words of the server as they are if a part of the token is empty', async () => {
  const body = '{"error":"invalid_grant","error_description":"Not signed"}';
  const clouds = createTestClouds(await startServer(respond(400, body)), '127.0.0.1');
  const result = await clouds.check(googleSpec, { ...signIn, token: 'head.claims.' });
  expect(result).toEqual({ code: 'invalid_grant', message: 'Not signed' });
});
