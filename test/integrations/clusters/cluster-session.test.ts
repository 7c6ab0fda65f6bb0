import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { openClusterSession, toTlsOptions } from '../../../src/integrations/clusters/cluster-session.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { createCertificateAuthority } from '../../support/servers/temporal-tls-proxy.ts';

describe('openClusterSession', () => {
  async function start(respond: RequestListener, access: { token?: string } = {}) {
    const server = createServer(respond).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dispatcher = new Agent();
    const session = openClusterSession({ server: url, ...access }, () => dispatcher);
    onTestFinished(async () => {
      await session.close();
      server.closeAllConnections();
      server.close();
    });
    return { url, dispatcher, session };
  }

  /** Answers with what it was asked. */
  const echo: RequestListener = async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, text, authorization: headers.authorization }));
  };

  it('sends the token and the body', async () => {
    const { session } = await start(echo, { token: 'token-of-the-cluster' });
    expect(await session.send('POST', '/apis', { kind: 'Review' })).toEqual({
      status: 200,
      body: { method: 'POST', url: '/apis', text: '{"kind":"Review"}', authorization: 'Bearer token-of-the-cluster' },
    });
  });

  it('sends neither when there is none', async () => {
    const { session } = await start(echo);
    expect(await session.send('GET', '/version')).toEqual({
      status: 200,
      body: { method: 'GET', url: '/version', text: '' },
    });
  });

  it('follows no redirect, and returns no body that is not JSON', async () => {
    const { session } = await start(
      (_, response) => void response.writeHead(307, { location: '/other' }).end('<html>'),
    );
    expect(await session.send('GET', '/version')).toEqual({ status: 307, body: undefined });
  });

  it('reads at most 2 MiB', async () => {
    const sizes = [2 * 1024 * 1024, 2 * 1024 * 1024 + 1];
    const { session } = await start((_, response) => void response.end('1'.repeat(sizes.shift() ?? 0)));
    expect((await session.send('GET', '/version')).status).toBe(200);
    await expect(session.send('GET', '/version')).rejects.toMatchObject({
      reason: 'cluster-setting-invalid',
      errors: [{ detail: 'clusters[0].cluster.server: cannot be reached' }],
    });
  });

  it('says why a connection failed, and after it is closed that there is none', async () => {
    const { session, url, dispatcher } = await start((request) => void request.socket.destroy());
    await expect(session.send('GET', '/version')).rejects.toMatchObject({
      message: expect.stringContaining(`The API server ${url} cannot be reached (`),
    });
    await session.close();
    expect(dispatcher.destroyed).toBe(true);
    await expect(session.send('GET', '/version')).rejects.toMatchObject({ reason: 'cluster-setting-invalid' });
  });

  it('rethrows a refusal as it is', async () => {
    const refusal = new ServiceError('cluster-setting-invalid', 'The address is private.');
    const session = openClusterSession({ server: 'https://k8s.example.com' }, () => {
      const dispatcher = new Agent();
      return Object.assign(dispatcher, {
        compose: () => {
          throw refusal;
        },
      });
    });
    await expect(session.send('GET', '/version')).rejects.toBe(refusal);
  });
});

describe('toTlsOptions', () => {
  const server = 'https://k8s.example.com';
  const readBase64 = async (file: string): Promise<string> => (await readFile(file)).toString('base64');

  async function issue() {
    const authority = await createCertificateAuthority(await createScratchFolder());
    const { certificate, key } = await authority.issue('ada');
    return {
      caData: await readBase64(authority.file),
      certData: await readBase64(certificate),
      keyData: await readBase64(key),
    };
  }

  it('decodes what the kubeconfig has', async () => {
    const { caData, certData, keyData } = await issue();
    const decode = (data: string) => Buffer.from(data, 'base64');
    expect(toTlsOptions({ server })).toStrictEqual({});
    expect(toTlsOptions({ server, caData })).toStrictEqual({ ca: decode(caData) });
    expect(toTlsOptions({ server, certData })).toStrictEqual({ cert: decode(certData) });
    expect(toTlsOptions({ server, keyData })).toStrictEqual({ key: decode(keyData) });
    expect(toTlsOptions({ server, certData, keyData })).toStrictEqual({ cert: decode(certData), key: decode(keyData) });
  });

  it('names the field that cannot be used, without its content', async () => {
    const [{ certData, keyData }, other] = [await issue(), await issue()];
    const refuse = (access: object) => () => toTlsOptions({ server, ...access });
    const authority = 'clusters[0].cluster.certificate-authority-data: has no readable certificate';
    const client = 'users[0].user: has no readable client certificate with its private key';
    for (const [access, detail] of [
      [{ caData: 'AAAA' }, authority],
      [{ certData: 'AAAA', keyData }, client],
      [{ certData, keyData: 'AAAA' }, client],
      [{ certData, keyData: other.keyData }, client],
    ] as const)
      expect(refuse(access)).toThrow(
        expect.objectContaining({
          message: `The kubeconfig cannot be used: ${detail}.`,
          errors: [{ pointer: '/kubeconfig', detail }],
        }),
      );
  });
});
