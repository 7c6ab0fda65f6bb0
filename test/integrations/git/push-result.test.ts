import { expect, it } from 'vitest';
import { PushRejectedError, readPushResult } from '../../../src/integrations/git/push-result.ts';

const ref = 'refs/heads/service/shop';
/** Reads the output of a push whose ref the code host rejected for a reason. */
const read = (reason: string) =>
  readPushResult(ref, {
    status: 1,
    output: Buffer.from(`To https://code.test/acme/shop\n!\tHEAD:${ref}\t${reason}\nDone\n`),
    messages: '',
  });

it.each([
  '[rejected] (stale info)',
  '[rejected] (fetch first)',
  '[rejected] (non-fast-forward)',
  '[remote rejected] (cannot lock ref)',
  '[remote rejected] (failed to update ref)',
  '[remote rejected] (incorrect old value provided)',
  '[remote rejected] (reference already exists)',
  '[remote rejected] (reference does not exist)',
])('takes "%s" for a ref that another push has moved', (reason) => {
  expect(read(reason)).toBe('moved');
});

it.each(['[remote rejected] (pre-receive hook declined)', '[remote rejected] (invalid new value provided)'])(
  'throws "%s", because a repetition would be rejected too',
  (reason) => {
    expect(() => read(reason)).toThrow(PushRejectedError);
  },
);

it('throws another error when the code host failed, or the connection', () => {
  const failures = [
    () => read('[remote rejected] (Internal Server Error)'),
    () => readPushResult(ref, { status: 1, output: Buffer.from(''), messages: 'timed out' }),
  ];
  for (const fail of failures) {
    expect(fail).toThrow(/Internal Server Error|timed out/);
    expect(fail).not.toThrow(PushRejectedError);
  }
});

it('takes a push without a rejected ref for one that came through', () => {
  expect(
    readPushResult(ref, { status: 0, output: Buffer.from(`*\tHEAD:${ref}\t[new branch]\nDone\n`), messages: '' }),
  ).toBe('pushed');
});
