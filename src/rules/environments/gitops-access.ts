import type { ApplicationStatus } from '../../kinds/argo-cd.ts';
import { type Condition, withCondition } from '../conditions.ts';

const conditionType = 'GitopsRepoReadable';

/** Errors of git and of code hosts, in the words in which Argo CD repeats them. */
const unreadablePattern =
  /failed to (list refs|fetch|initialize repository)|authentication (required|failed)|authorization failed|repository not found|could not read (username|from remote)|unable to access/i;

/** Returns why Argo CD cannot read the gitops repo, in its own words. Other errors are about the content of the repo. */
export function gitopsRepoViolation(status: ApplicationStatus | undefined): string | undefined {
  const message = status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message;
  return message !== undefined && unreadablePattern.test(message) ? toUnreadableMessage(message) : undefined;
}

/** The last part of the message is the error of git; the parts before name the components that passed it on. */
export const toUnreadableMessage = (error: string): string =>
  `Argo CD cannot read the gitops repo: ${error.split('desc = ').at(-1)?.trimEnd().replace(/\.$/, '')}.`;

type AccessFinding = { violation: string | undefined; generation: number; at: string };

/** Returns the conditions with the finding, or undefined when the finding is not new. */
export const withGitopsCondition = (
  conditions: Condition[] | undefined,
  { violation, ...finding }: AccessFinding,
): Condition[] | undefined =>
  withCondition(conditions, {
    type: conditionType,
    status: violation === undefined ? 'True' : 'False',
    reason: violation === undefined ? 'Readable' : 'Unreadable',
    message: violation ?? 'Argo CD can read the gitops repo.',
    ...finding,
  });

/** Returns why Argo CD cannot read the gitops repo, as it was found last. */
export const findGitopsViolation = (conditions: Condition[] | undefined): string | undefined =>
  conditions?.find(({ type, status }) => type === conditionType && status === 'False')?.message;
