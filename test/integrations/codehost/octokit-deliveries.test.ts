import { describe, expect, it } from 'vitest';
import { deliveryOperations } from '../../../src/integrations/codehost/octokit-deliveries.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const now = new Date('2026-05-04T12:00:00Z');
const since = '2026-05-04T11:00:00Z';
const retryDelayMs = 60_000;
const list = 'GET /app/hook/deliveries?per_page=100';

type Attempt = { guid: string; secondsAgo: number; status?: number; redelivery?: boolean };

/** Lists attempts as the code host does, newest first; the id of an attempt is its place in the list. */
const toDeliveries = (attempts: Attempt[], firstId = 1) =>
  attempts.map(({ guid, secondsAgo, status = 502, redelivery = false }, at) => ({
    id: firstId + at,
    guid,
    delivered_at: new Date(now.getTime() - secondsAgo * 1_000).toISOString(),
    status_code: status,
    redelivery,
  }));

/** Returns the ids of the attempts that are sent again, in their order. */
async function redeliver(...pages: Attempt[][]) {
  const next = (page: number) => `/app/hook/deliveries?per_page=100&cursor=${page}`;
  const scripted = await startScriptedCodehost({
    ...Object.fromEntries(
      pages.map((page, at) => [
        at === 0 ? list : `GET ${next(at)}`,
        {
          body: toDeliveries(page, at * 10 + 1),
          ...(at + 1 < pages.length && { next: next(at + 1) }),
        },
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, id) => [`POST /app/hook/deliveries/${id}/attempts`, { status: 202, body: {} }]),
    ),
  });
  const { redeliverFailedDeliveries } = deliveryOperations(scripted.client);
  const count = await redeliverFailedDeliveries({ since, now, retryDelayMs });
  const sent = scripted.requests.flatMap(({ route }) => /^POST .*\/(\d+)\/attempts$/.exec(route)?.[1] ?? []);
  expect(count).toBe(sent.length);
  return { sent: sent.map(Number), requests: scripted.requests };
}

describe('redeliverFailedDeliveries', () => {
  it('sends failed deliveries again, the oldest first', async () => {
    const { sent } = await redeliver([
      { guid: 'c', secondsAgo: 100, status: 500 },
      { guid: 'b', secondsAgo: 200, status: 0 },
      { guid: 'a', secondsAgo: 300, status: 302 },
    ]);
    expect(sent).toEqual([3, 2, 1]);
  });

  it.each([
    ['refuses to send one again', 422],
    ['no longer has one', 404],
    ['is already sending one', 409],
  ])('sends the others when the code host %s', async (_, status) => {
    const { client, requests } = await startScriptedCodehost({
      [list]: { body: toDeliveries(['c', 'b', 'a'].map((guid) => ({ guid, secondsAgo: 100 }))) },
      'POST /app/hook/deliveries/3/attempts': { status, body: { message: 'No' } },
      'POST /app/hook/deliveries/1/attempts': { status: 202, body: {} },
    });
    await deliveryOperations(client).redeliverFailedDeliveries({ since, now, retryDelayMs });
    expect(requests.at(-1)?.route).toBe('POST /app/hook/deliveries/1/attempts');
  });

  it.each([
    [199, [1]],
    [200, []],
    [202, []],
    [299, []],
    [300, [1]],
  ])('counts status %d as delivered or not', async (status, expected) => {
    expect((await redeliver([{ guid: 'a', secondsAgo: 300, status }])).sent).toEqual(expected);
  });

  it('leaves a delivery alone once any of its attempts succeeded', async () => {
    const { sent } = await redeliver([
      { guid: 'a', secondsAgo: 200, redelivery: true },
      { guid: 'a', secondsAgo: 250, redelivery: true, status: 200 },
      { guid: 'a', secondsAgo: 300 },
    ]);
    expect(sent).toEqual([]);
  });

  it.each([
    ['first', 1, 60],
    ['second', 2, 120],
    ['third', 3, 240],
    ['tenth, which is bounded', 10, 1_800],
  ])('waits longer after each failed attempt: the %s', async (_name, count, delaySeconds) => {
    const attempts = (secondsAgo: number): Attempt[] =>
      Array.from({ length: count }, (_, at) => ({
        guid: 'a',
        secondsAgo: secondsAgo + at,
        redelivery: at < count - 1,
      }));
    expect((await redeliver(attempts(delaySeconds - 1))).sent).toEqual([]);
    expect((await redeliver(attempts(delaySeconds))).sent).toEqual([1]);
  });

  it('abandons a delivery whose first attempt is older than the window', async () => {
    const { sent } = await redeliver([
      { guid: 'a', secondsAgo: 600, redelivery: true },
      { guid: 'b', secondsAgo: 3_600 },
      { guid: 'a', secondsAgo: 3_601 },
      { guid: 'c', secondsAgo: 3_601 },
    ]);
    expect(sent).toEqual([2]);
  });

  it('reads further pages until one is older than the window', async () => {
    const { sent, requests } = await redeliver(
      [{ guid: 'a', secondsAgo: 300 }],
      [
        { guid: 'b', secondsAgo: 400 },
        { guid: 'c', secondsAgo: 4_000 },
      ],
      [{ guid: 'd', secondsAgo: 5_000 }],
    );
    expect(sent).toEqual([11, 1]);
    expect(requests.filter(({ route }) => route.startsWith('GET '))).toHaveLength(2);
  });

  it('reports that the code host cannot be reached', async () => {
    const { client } = await startScriptedCodehost({
      [list]: { body: toDeliveries([{ guid: 'a', secondsAgo: 300 }]) },
      'POST /app/hook/deliveries/1/attempts': { status: 502, body: {} },
    });
    const { redeliverFailedDeliveries } = deliveryOperations(client);
    await expect(redeliverFailedDeliveries({ since, now, retryDelayMs })).rejects.toMatchObject({
      reason: 'codehost-unreachable',
      message: expect.stringContaining('delivery a'),
    });
  });
});
