import { expect, it } from 'vitest';
import {
  createFolder,
  getInstallationOctokit,
  registerApp,
  startTestCodehost,
  startWebhookReceiver,
} from '../codehost-fixture.ts';

it('records every delivery, and redelivers with the same guid', async () => {
  const codehost = await startTestCodehost();
  let status = 500;
  const receiver = await startWebhookReceiver(() => status);
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  const { app, octokitApp: installed } = await registerApp(codehost, { hookUrl: receiver.url });
  receiver.secret.value = app.webhook_secret;
  const octokit = await getInstallationOctokit(installed, 'acme');
  await octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  const [first] = await receiver.received('issues.opened');
  const deliveries = async () => (await installed.octokit.request('GET /app/hook/deliveries', { per_page: 1 })).data;

  await expect
    .poll(deliveries)
    .toMatchObject([{ guid: first?.guid, status_code: 500, event: 'issues', action: 'opened', redelivery: false }]);
  const [failed] = await deliveries();
  status = 202;
  const attempt = await installed.octokit.request('POST /app/hook/deliveries/{delivery_id}/attempts', {
    delivery_id: Number(failed?.id),
  });
  expect(attempt.status).toBe(202);
  const [, second] = await receiver.received('issues.opened', 2);
  expect(second).toMatchObject({ guid: first?.guid, hasValidSignature: true });
  await expect
    .poll(deliveries)
    .toMatchObject([{ guid: first?.guid, status: 'OK', status_code: 202, redelivery: true }]);
  const { headers } = await installed.octokit.request('GET /app/hook/deliveries', { per_page: 1 });
  expect(headers.link).toMatch(/cursor=v1_\d+>; rel="next"/);
  const { data: detail } = await installed.octokit.request('GET /app/hook/deliveries/{delivery_id}', {
    delivery_id: Number(failed?.id),
  });
  expect(detail).toMatchObject({
    url: receiver.url,
    request: { payload: { action: 'opened' } },
    response: { payload: 'received' },
  });

  await installed.octokit.request('PATCH /app/hook/config', { data: { url: 'http://localhost:9/unreachable' } });
  await octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  await expect.poll(deliveries).toMatchObject([{ status: 'failed to connect to host' }]);
});
