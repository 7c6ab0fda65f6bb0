import { expect, it } from 'vitest';
import { fieldsOfPart, mapPointers } from '../../../api/http/map-pointers.ts';
import { invalid, isServiceError, ServiceError } from '../../../src/errors.ts';

async function fail(error: Error): Promise<unknown> {
  const validation = mapPointers(fieldsOfPart('/spec/zones/1'), async () => await Promise.reject(error));
  return await validation.catch((mapped: unknown) => mapped);
}

it('names the fields of the request, in the errors and in the message', async () => {
  const errors = [
    { pointer: '/spec/zones/1/name', detail: 'is reserved' },
    { pointer: '/spec/zones/10/name', detail: 'is a duplicate' },
  ];
  const message = 'It is invalid: /spec/zones/1/name is reserved; /spec/zones/10/name is a duplicate.';
  const mapped = await fail(invalid(message, errors));
  expect(mapped).toMatchObject({
    reason: 'invalid',
    message: 'It is invalid: /name is reserved; /spec/zones/10/name is a duplicate.',
    errors: [{ pointer: '/name', detail: 'is reserved' }],
  });
});

it('keeps everything else of an error, and returns what the validation returns', async () => {
  const busy = await fail(new ServiceError('unavailable', 'Retry later.', { retryAfterMs: 5_000 }));
  expect(isServiceError(busy, 'unavailable')).toBe(true);
  expect(busy).toMatchObject({ message: 'Retry later.', retryAfterMs: 5_000, errors: [] });
  const fault = new TypeError('no function');
  expect(await fail(fault)).toBe(fault);
  expect(await mapPointers(fieldsOfPart('/spec'), async () => await Promise.resolve(1))).toBe(1);
});
