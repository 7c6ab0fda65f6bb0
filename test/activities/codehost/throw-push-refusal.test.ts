import { expect, it } from 'vitest';
import { throwPushRefusal } from '../../../activities/codehost/throw-push-refusal.ts';
import { PushRejectedError } from '../../../src/integrations/git/push-result.ts';

const rejected = new PushRejectedError('The code host rejected the push');

it.each([
  ['Allow the service to push.', 'The code host rejected the push\nAllow the service to push.'],
  [undefined, 'The code host rejected the push.'],
])('says why a push was rejected, with the fix %s', (fix, message) => {
  expect(() => throwPushRefusal(fix)(rejected)).toThrow(
    expect.objectContaining({ reason: 'codehost-conflict', message }),
  );
});

it('rethrows any other error, so that the push is repeated', () => {
  const error = new Error('The connection was closed.');
  expect(() => throwPushRefusal('Retry.')(error)).toThrow(error);
});
