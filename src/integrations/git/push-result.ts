import type { GitResult } from './run-git.ts';

/** The rules of the code host reject a push, for example because a file contains a secret. */
export class PushRejectedError extends Error {}

/** Failures of the code host itself, after which the same push may succeed. */
const passingFailures = /Internal Server Error|\(failure\)|failed to report status|unpacker error|unable to migrate/i;

/** Git 2.50 and later name a race by the state of the ref. */
const movedRef =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|incorrect old value|reference (already exists|does not exist)/;

const remoteMessagesMax = 20;

/** Reads the result of `git push --porcelain` of one ref. Throws for a rejection, and for a push that did not come through. */
export function readPushResult(ref: string, { status, output, messages }: GitResult): 'pushed' | 'moved' {
  const rejection = findRejection(output.toString());
  // Git exits with 1 for a rejection, and also when the connection fails, which says nothing about the ref.
  if (rejection === undefined && status !== 0) throw new Error(`git push failed: ${messages.slice(-2000)}`);
  if (rejection === undefined) return 'pushed';
  const reason = rejection.split('\t').at(-1) ?? '';
  if (movedRef.test(reason)) return 'moved';
  const message = `The code host rejected the push to ${ref}: ${[reason, ...listRemoteMessages(messages)].join('\n')}`;
  throw passingFailures.test(reason) ? new Error(message) : new PushRejectedError(message);
}

/** Finds the line about a ref that was not pushed because of its state or of the rules of the code host. */
const findRejection = (output: string): string | undefined =>
  output.split('\n').find((line) => /^!.*\[(remote )?rejected\]/.test(line));

/** Lists what the code host said about a push, such as the rule that it breaks; git marks these lines. */
const listRemoteMessages = (messages: string): string[] =>
  messages
    .split(/[\r\n]+/)
    .flatMap((line) => /^remote: (.*\S)/.exec(line)?.[1]?.trim().slice(0, 200) || [])
    .slice(0, remoteMessagesMax);
