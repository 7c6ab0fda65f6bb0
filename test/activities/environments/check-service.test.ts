import { expect, it } from 'vitest';
import { checkService } from '../../../activities/environments/check-service.ts';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';

const target = { namespace: 'shop-prod', name: 'shop', url: 'http://shop.shop-prod.svc' };
const never = new AbortController().signal;
const check = async (requestService: ZoneCluster['requestService'], signal = never) =>
  await checkService({ requestService } as ZoneCluster, target, signal);

it('requests the Service of the zone and passes its response', async () => {
  const requested: unknown[] = [];
  const startedAt = performance.now();
  const outcome = await check(async (...args) => (requested.push(args[0]), { status: 204, body: '' }));
  expect(requested).toEqual([{ namespace: 'shop-prod', name: 'shop' }]);
  expect(outcome).toEqual({
    outcome: 'passed',
    message: 'the app responds',
    response: { url: target.url, status: 204, durationMs: expect.any(Number) },
  });
  expect(outcome.response.durationMs).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt));
});

it('fails a response with an error status, and a cluster that does not answer', async () => {
  expect(await check(async () => ({ status: 500, body: 'No database.' }))).toMatchObject({
    outcome: 'failed',
    message: `${target.url} responded with status 500.`,
    response: { status: 500, response: 'No database.' },
  });
  expect(await check(async () => await Promise.reject(new Error('connection refused')))).toEqual({
    outcome: 'failed',
    message: `${target.url} did not respond: connection refused.`,
    response: { url: target.url },
  });
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:6443'), { code: 'ECONNREFUSED' });
  expect(await check(async () => await Promise.reject(refused))).toMatchObject({
    outcome: 'failed',
    message: `${target.url} did not respond: ECONNREFUSED.`,
  });
});

it('has no outcome when it is cancelled', async () => {
  const controller = new AbortController();
  const waiting: ZoneCluster['requestService'] = async (_, signal) => {
    controller.abort(new Error('cancelled'));
    signal.throwIfAborted();
    return { status: 200, body: '' };
  };
  await expect(check(waiting, controller.signal)).rejects.toThrow('cancelled');
});
