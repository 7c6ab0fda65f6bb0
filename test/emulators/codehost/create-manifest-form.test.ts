import { expect, it } from 'vitest';
import { startTestCodehost } from './codehost-fixture.ts';

it('422: redirect and webhook URLs outside this machine', async () => {
  const { url, userToken } = await startTestCodehost();
  const post = (manifest: Record<string, unknown>): Promise<Response> =>
    fetch(`${url}/settings/apps/new`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userToken}` },
      body: new URLSearchParams({
        manifest: JSON.stringify({
          name: 'a',
          url: 'http://localhost:1',
          redirect_url: 'http://localhost:1',
          ...manifest,
        }),
      }),
      redirect: 'manual',
    });

  expect((await post({})).status).toBe(302);
  expect((await post({ redirect_url: 'https://evil.example' })).status).toBe(422);
  expect((await post({ redirect_url: 'http://localhost.evil.example' })).status).toBe(422);
  expect((await post({ hook_attributes: { url: 'https://evil.example' } })).status).toBe(422);
});
