import { ApplicationFailure, DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { wrapActivities } from '../../activities/wrap-activities.ts';
import { ServiceError } from '../../src/errors.ts';

const { greet, refuse } = wrapActivities({
  greet: async (greeting: string, name: string) => `${greeting}, ${name}`,
  refuse: async () => await Promise.reject(new ServiceError('zone-missing', 'There is no such zone.')),
});

it.each([
  [true, 0],
  [false, 1],
])('passes arguments and results (local: %s), with %i heartbeats', async (isLocal, count) => {
  const environment = new MockActivityEnvironment({ isLocal });
  let heartbeats = 0;
  environment.on('heartbeat', () => void (heartbeats += 1));
  expect(await environment.run(greet, 'Hello', 'Ada')).toBe('Hello, Ada');
  expect(heartbeats).toBe(count);
});

it.each([true, false])('translates a refusal (local: %s)', async (isLocal) => {
  const environment = new MockActivityEnvironment({ isLocal });
  const failure = await environment.run(async () => await refuse().catch((error: unknown) => error));
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'zone-missing', message: 'There is no such zone.', nonRetryable: true });
});

it.each([true, false])('completes the characters of a failure whose text was cut (local: %s)', async (isLocal) => {
  const half = '😀'.slice(1);
  const errors = [
    new ServiceError('zone-missing', `${half} refused`),
    new Error(`${half} failed`, { cause: new TypeError(`the cause ${half}`) }),
  ];
  const activities = wrapActivities({ fail: async (index: number) => await Promise.reject(errors[index] as Error) });
  for (const [index, text] of ['\ufffd refused', '\ufffd failed'].entries()) {
    const run = async (): Promise<Error> => await activities.fail(index).catch((error: unknown) => error as Error);
    const failure = (await new MockActivityEnvironment({ isLocal }).run(run)) as Error;
    expect(failure.message).toBe(text);
    const { message, cause } = new DefaultFailureConverter().errorToFailure(failure, defaultPayloadConverter);
    const texts = [message, failure.stack, cause?.message ?? '', cause?.stackTrace ?? ''];
    expect(texts.map((one) => one?.isWellFormed())).toEqual([true, true, true, true]);
  }
});
