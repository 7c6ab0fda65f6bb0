import { expect, it } from 'vitest';
import { createWriteOnce } from '../../../../src/clients/ui/api/write-once.ts';

type Sent = { key: string | undefined; respond: (result: unknown) => void; fail: (error: object) => void };

function collect() {
  const sent: Sent[] = [];
  const clock = { now: 0 };
  const writeOnce = createWriteOnce(
    async (_url, { headers }) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      sent.push({ key: headers['Idempotency-Key'], respond: resolve, fail: reject });
      return await promise;
    },
    () => clock.now,
  );
  const write = async (body: string, method = 'POST'): Promise<unknown> =>
    await writeOnce('/api/v1/orgs', { method, body, headers: {} });
  return { sent, write, clock };
}

it('sends one request for two equal ones at once, and two for different ones or one after the other', async () => {
  const { sent, write } = collect();
  const [first, second] = [write('one'), write('one')];
  const other = write('other');
  expect(sent).toHaveLength(2);
  for (const one of sent) one.respond('done');
  expect(await Promise.all([first, second, other])).toEqual(['done', 'done', 'done']);
  const third = write('one');
  sent[2]?.respond('again');
  expect(await third).toBe('again');
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
});

it.each([
  ['no response came', { status: 0 }, true],
  ['a proxy did not reach the API', { status: 502 }, true],
  ['the first request is still in progress', { status: 409, reason: 'request-in-progress' }, true],
  ['the API rejected it', { status: 409, reason: 'step-not-waiting' }, false],
])('repeats a request with its key if its outcome is unknown: %s', async (_, problem, isRepeated) => {
  const { sent, write } = collect();
  const first = write('one').catch((error: unknown) => error);
  sent[0]?.fail(problem);
  expect(await first).toBe(problem);
  const second = write('one');
  sent[1]?.respond('done');
  await second;
  expect(sent[1]?.key === sent[0]?.key).toBe(isRepeated);
});

it('takes the same request as another one ten minutes after the last attempt', async () => {
  const { sent, write, clock } = collect();
  const attempt = async (at: number): Promise<void> => {
    clock.now = at * 60_000;
    const result = write('{"release":"v1.3"}').catch(() => undefined);
    sent.at(-1)?.fail({ status: 0 });
    await result;
  };
  for (const minute of [0, 9, 18, 28]) await attempt(minute);
  const keys = sent.map(({ key }) => key);
  expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
  expect(keys[3]).not.toBe(keys[0]);
});

it('has no key for what can be repeated anyway', async () => {
  const { sent, write } = collect();
  const put = write('one', 'PUT');
  sent[0]?.respond('done');
  await put;
  expect(sent[0]?.key).toBeUndefined();
});
