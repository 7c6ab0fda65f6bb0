import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import {
  identityKeysSecretName,
  keyLifetimeMs,
  publishAheadMs,
} from '../../../src/rules/cloud-accounts/identity-keys.ts';
import { awsAccountId, awsSpec, googleSpec, pool } from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { accountsPath, startWithCloud } from './cloud-fixture.ts';

const works = 'works';
const sessionArn = `arn:aws:sts::${awsAccountId}:assumed-role/delivery/delivery-check-acme`;

describe('checkCloudAccount', () => {
  it('200: assumes the role with a token of the org, and keeps who it is', async () => {
    const { addAccount, check, request } = await startWithCloud();
    await addAccount(awsSpec);
    const result = await check();
    expect(result).toEqual({
      result: works,
      identity: sessionArn,
      message: `Works as ${sessionArn}`,
      generation: 1,
      at: expect.any(String),
    });
    expect(await (await request(`${accountsPath}/cloud`)).json()).toMatchObject({ status: { lastCheck: result } });
  });

  it('200: acts as the service account of Google Cloud', async () => {
    const { addAccount, check } = await startWithCloud();
    await addAccount(googleSpec);
    expect(await check()).toMatchObject({ result: works, identity: googleSpec.serviceAccount });
  });

  it('404: of an account that does not exist', async () => {
    const { request } = await startWithCloud();
    expect((await request(`${accountsPath}/cloud/check`, { method: 'POST' })).status).toBe(404);
  });

  it('200: is refused the account of another org, at both clouds', async () => {
    const { addAccount, check, request } = await startWithCloud();
    await addAccount(awsSpec, 'rival');
    expect(await check('rival')).toMatchObject({
      result: 'refused',
      code: 'AccessDenied',
      message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity',
      fix: expect.stringContaining('the subject org:rival'),
    });
    const path = '/v1/orgs/rival/cloud-accounts/cloud';
    const body = { spec: googleSpec, generation: 1 };
    expect((await request(path, { method: 'PUT', body, role: 'platform-admin' })).status).toBe(200);
    expect(await check('rival')).toMatchObject({
      result: 'refused',
      code: 'PERMISSION_DENIED',
      fix: expect.stringContaining(`principal://iam.googleapis.com/${pool}/subject/org:rival`),
    });
  });

  it('200: says which audience is missing', async () => {
    const { addAccount, check, cloud } = await startWithCloud();
    await addAccount(awsSpec);
    cloud.state.aws[0]!.oidcProviders[0]!.clientIds = ['another'];
    expect(await check()).toMatchObject({
      code: 'InvalidIdentityToken',
      message: 'Incorrect token audience',
      fix: expect.stringContaining('Add the audience sts.amazonaws.com'),
    });
  });

  it('200: says that Google Cloud expects another audience, or another subject', async () => {
    const { addAccount, check, cloud } = await startWithCloud();
    await addAccount(googleSpec);
    const [provider] = cloud.state.google.providers;
    provider!.allowedAudiences = ['another'];
    expect(await check()).toMatchObject({ code: 'invalid_grant', fix: expect.stringContaining('Allow the audience') });
    cloud.state.google.providers[0] = {
      ...googleIssuer(provider!),
      attributeCondition: "assertion.sub == 'org:rival'",
    };
    expect(await check()).toMatchObject({
      code: 'invalid_grant',
      message: 'The given credential is rejected by the attribute condition.',
      fix: expect.stringContaining("assertion.sub == 'org:acme'"),
    });
    cloud.state.google.providers = [];
    expect(await check()).toMatchObject({
      code: 'invalid_target',
      fix: expect.stringContaining('exists and is enabled'),
    });
  });

  it('200: says that the account has no identity provider of this installation', async () => {
    const { addAccount, check, cloud, issuer } = await startWithCloud();
    await addAccount(awsSpec);
    cloud.state.aws[0]!.oidcProviders = [];
    expect(await check()).toMatchObject({
      code: 'InvalidIdentityToken',
      fix: expect.stringContaining(`with the URL ${issuer} and the audience sts.amazonaws.com`),
    });
  });

  it('200: is refused a token that has expired, and says that the clock is wrong', async () => {
    const { addAccount, check } = await startWithCloud({ apiNow: () => new Date(Date.now() - 11 * 60_000) });
    await addAccount(awsSpec);
    expect(await check()).toMatchObject({ code: 'ExpiredTokenException', fix: expect.stringContaining('clock') });
  });

  it('200: says that the cloud cannot read the keys of the installation', async () => {
    const { addAccount, check, stopServer, issuer } = await startWithCloud();
    await addAccount(awsSpec);
    await stopServer();
    expect(await check()).toMatchObject({
      code: 'IDPCommunicationError',
      fix: expect.stringContaining(`Make ${issuer}/.well-known/openid-configuration reachable`),
    });
  });

  it('200: works through a rotation, with clouds that keep the keys which they have read', async () => {
    const start = Date.parse('2026-11-25T09:00:00Z');
    let ms = start;
    const now = () => new Date(ms);
    const { addAccount, check, request } = await startWithCloud({
      apiNow: now,
      cloudNow: now,
      keysCacheMs: publishAheadMs / 2,
    });
    await addAccount(awsSpec);
    const listKeys = async () => {
      const { keys } = (await (await request('/v1/cloud-identity/oidc/jwks')).json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    };
    const [first] = await listKeys();
    expect(await check()).toMatchObject({ result: works });
    // The cloud reads the keys shortly before the next one is created.
    ms = start + keyLifetimeMs - publishAheadMs / 4;
    expect(await check()).toMatchObject({ result: works });
    ms = start + keyLifetimeMs;
    expect(await check()).toMatchObject({ result: works });
    const [, next] = await listKeys();
    expect(await listKeys()).toEqual([first, next]);
    // Every six hours, until the next key has signed for a day.
    for (; ms < start + keyLifetimeMs + 2 * publishAheadMs; ms += publishAheadMs / 4)
      expect(await check(), new Date(ms).toISOString()).toMatchObject({ result: works });
    expect(await listKeys()).toEqual([next]);
  });

  it('200: reaches no server inside the network, whatever the endpoint is', async () => {
    const judged = createTestDispatcher();
    onTestFinished(async () => await judged.destroy());
    const { addAccount, check } = await startWithCloud({ api: { judged } });
    await addAccount(awsSpec);
    expect(await check()).toMatchObject({
      code: 'Unreachable',
      message: expect.stringContaining('has no public address'),
    });
  });
});

describe('a token of the installation', () => {
  it('lives for ten minutes at most, names the org, and is in no response, log, entry or object', async () => {
    const tokens: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const token = new URLSearchParams(body).get('WebIdentityToken') ?? '';
      tokens.push(token);
      const error = `<ErrorResponse><Error><Code>AccessDenied</Code><Message>No: ${token}</Message></Error></ErrorResponse>`;
      response.writeHead(403, { 'content-type': 'text/xml' }).end(error);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const awsSts = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const cloudEndpoints = { awsSts, googleSts: awsSts, googleIam: awsSts, googleContainer: awsSts };
    const { addAccount, check, request, store, lines, issuer } = await startWithCloud({ api: { cloudEndpoints } });
    await addAccount(awsSpec);
    const shown = [JSON.stringify(await check()), await (await request(accountsPath)).text()];
    const [token = ''] = tokens;
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ iss: issuer, sub: 'org:acme', aud: 'sts.amazonaws.com', jti: expect.any(String) });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeLessThanOrEqual(600);
    const secret = await store.get(SecretKind, { namespace: 'service-system', name: identityKeysSecretName });
    const entries = await (await request('/v1/orgs/acme/audit')).text();
    expect(entries).toContain('checkCloudAccount');
    for (const text of [...shown, ...lines, entries])
      for (const part of [...token.split('.'), ...Object.values(secret.data ?? {})])
        expect(text.includes(part)).toBe(false);
    expect(shown[0]).toContain('No: ….….…');
  });
});

/** The provider without its own audiences. */
const googleIssuer = ({ name, issuer }: { name: string; issuer: string }) => ({ name, issuer });
