import { RequestError } from '@octokit/request-error';
import { describe, expect, it } from 'vitest';
import { scopedAuth } from '../../../src/integrations/codehost/scoped-auth.ts';

const refusal = (status: number, message = 'Refused'): RequestError =>
  new RequestError(message, status, { request: { method: 'GET', url: 'https://codehost.test/', headers: {} } });

type GetToken = Parameters<typeof scopedAuth>[0];

/** Sends a request whose attempts have these results, and returns the headers of each attempt. */
async function send(getToken: GetToken, results: (string | Error)[]) {
  const sent: unknown[] = [];
  const request = Object.assign(
    async (endpoint: object) => {
      sent.push(structuredClone(endpoint));
      const result = results[sent.length - 1];
      if (result instanceof Error) throw result;
      return result;
    },
    { endpoint: { merge: (route: string, parameters: object) => ({ route, ...parameters, headers: {} }) } },
  );
  const result = await scopedAuth(getToken)().hook(request, 'GET /repos/{owner}/{repo}', { owner: 'acme' });
  return { result, sent };
}

const newToken: GetToken = async () => ({ token: 'token-1', createdAt: new Date().toISOString() });

describe('scopedAuth', () => {
  it('authenticates a request with the token', async () => {
    const { result, sent } = await send(newToken, ['found']);
    expect(result).toBe('found');
    expect(sent).toEqual([
      { route: 'GET /repos/{owner}/{repo}', owner: 'acme', headers: { authorization: 'token token-1' } },
    ]);
  });

  it('returns the token itself to those who ask for it', async () => {
    expect(await scopedAuth(newToken)()()).toMatchObject({ token: 'token-1' });
  });

  it('repeats a request whose new token a server of the code host does not know yet', async () => {
    const { result, sent } = await send(newToken, [refusal(401), 'found']);
    expect(result).toBe('found');
    expect(sent).toHaveLength(2);
  });

  it('replaces an older token that the code host refuses', async () => {
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    const getToken: GetToken = async ({ refresh } = {}) => ({ token: refresh ? 'new' : 'revoked', createdAt });
    const { result, sent } = await send(getToken, [refusal(401), 'found']);
    expect(result).toBe('found');
    expect(sent).toMatchObject(['revoked', 'new'].map((token) => ({ headers: { authorization: `token ${token}` } })));
    await expect(send(getToken, [refusal(401), refusal(401)])).rejects.toMatchObject({ status: 401 });
  });

  it('repeats no request after another refusal', async () => {
    await expect(send(newToken, [refusal(403), 'found'])).rejects.toMatchObject({ status: 403 });
  });
});

describe('a refused token', () => {
  const refuse = async (error: Error) => await send(async () => await Promise.reject(error), ['found']);

  it('says that a permission is missing', async () => {
    const error = refusal(422, 'The permissions requested are not granted to this installation.');
    await expect(refuse(error)).rejects.toMatchObject({
      reason: 'codehost-access-denied',
      message: expect.stringContaining('lacks a permission'),
    });
  });

  it('says that the repo does not exist', async () => {
    const error = refusal(422, 'There is at least one repository that does not exist.');
    await expect(refuse(error)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    refusal(422, 'Something else'),
    refusal(403, 'The permissions requested are not granted to this repository.'),
    new Error('The repository: permissions requested'),
  ])('stays as it is otherwise: %s', async (error) => {
    await expect(refuse(error)).rejects.toBe(error);
  });
});
