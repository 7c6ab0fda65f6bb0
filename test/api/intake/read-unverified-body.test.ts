import { expect, it } from 'vitest';
import { ByteBudget } from '../../../api/intake/byte-budget.ts';
import { fromRequest, readUnverifiedBody } from '../../../api/intake/read-unverified-body.ts';

const mib = 1024 * 1024;
const part = new Uint8Array(64 * 1024);

/** A request whose body arrives in parts; without a length its sender does not tell the size. */
function createRequest({ parts, length }: { parts: number; length?: number }): Request {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Every other request gets a turn between two parts.
      await new Promise((resolve) => setImmediate(resolve));
      if (sent === parts) controller.close();
      else controller.enqueue(part);
      sent += 1;
    },
  });
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  return new Request('http://localhost', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}

/** Sends eight bodies of 3 MiB at once and returns their outcomes and the most bytes that were held. */
async function flood(budget: ByteBudget) {
  let peakBytes = 0;
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const measure = (): void => void (peakBytes = Math.max(peakBytes, budget.usedBytes));
      const limits = { budget, bodyBytesMax: 25 * mib };
      return await readUnverifiedBody(fromRequest(createRequest({ parts: 48 })), limits, measure).catch(
        ({ reason }: { reason: string }) => reason,
      );
    }),
  );
  return { peakBytes, outcomes };
}

it('holds no more bytes than the budget, refuses what exceeds it, and completes the rest', async () => {
  const budget = new ByteBudget(8 * mib);
  const { peakBytes, outcomes } = await flood(budget);
  expect(peakBytes).toBeLessThanOrEqual(8 * mib * 0.75);
  expect(outcomes).toContain('intake-overloaded');
  const complete = outcomes.filter((outcome) => typeof outcome !== 'string');
  expect(complete.map(({ body }) => body.length)).toContain(3 * mib);
  for (const { release } of complete) release();
  expect(budget.usedBytes).toBe(0);
});

it('would hold all bodies of a flood without the budget', async () => {
  expect((await flood(new ByteBudget(Infinity))).peakBytes).toBe(24 * mib);
});

it('keeps a quarter of the budget for small bodies', async () => {
  const budget = new ByteBudget(8 * mib);
  budget.hold(6 * mib);
  const limits = { budget, bodyBytesMax: 25 * mib };
  await expect(readUnverifiedBody(fromRequest(createRequest({ parts: 48 })), limits, () => {})).rejects.toMatchObject({
    reason: 'intake-overloaded',
    retryAfterMs: 10_000,
  });
  const small = await readUnverifiedBody(fromRequest(createRequest({ parts: 2 })), limits, () => {});
  expect(small.body.length).toBe(2 * part.length);
});

it('rejects a declared length over the limit before it reads a byte, and an undeclared one while it reads', async () => {
  const limits = { budget: new ByteBudget(64 * mib), bodyBytesMax: mib };
  let parts = 0;
  const read = async (request: Request) =>
    await readUnverifiedBody(fromRequest(request), limits, () => void (parts += 1));
  await expect(read(createRequest({ parts: 48, length: 3 * mib }))).rejects.toMatchObject({ reason: 'too-large' });
  expect(parts).toBe(0);
  await expect(read(createRequest({ parts: 48 }))).rejects.toMatchObject({ reason: 'too-large' });
  expect(parts).toBe(16);
  expect(limits.budget.usedBytes).toBe(0);
});

it('refuses a flood of declared lengths at its headers', async () => {
  const limits = { budget: new ByteBudget(8 * mib), bodyBytesMax: 25 * mib };
  let parts = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, async () => {
      const request = createRequest({ parts: 48, length: 3 * mib });
      return await readUnverifiedBody(fromRequest(request), limits, () => void (parts += 1));
    }),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(2);
  expect(parts).toBe(2 * 48);
});

it('gives up on a body that does not arrive in time', async () => {
  const limits = { budget: new ByteBudget(mib), bodyBytesMax: mib, timeoutMs: 20 };
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(part) });
  const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit);
  await expect(readUnverifiedBody(fromRequest(request), limits, () => {})).rejects.toMatchObject({
    reason: 'delivery-incomplete',
  });
  expect(limits.budget.usedBytes).toBe(0);
});

it('puts a large body together that is as long as declared, and shares it with threads without a copy', async () => {
  const limits = { budget: new ByteBudget(8 * mib), bodyBytesMax: 25 * mib };
  const digits = (count: number) => Uint8Array.from({ length: count }, (_, index) => index % 251);
  const sent = [digits(200_000), digits(100_000)];
  const source = (declaredBytes: number) => {
    const parts = [...sent];
    return { declaredBytes, read: async () => parts.shift(), cancel: () => {} };
  };
  const { body } = await readUnverifiedBody(source(300_000), limits, () => {});
  expect(body.equals(Buffer.concat(sent))).toBe(true);
  expect(body.buffer).toBeInstanceOf(SharedArrayBuffer);
  await expect(readUnverifiedBody(source(299_999), limits, () => {})).rejects.toMatchObject({
    reason: 'delivery-incomplete',
  });
});
