import { wrapUntrusted } from './untrusted-content.ts';

/** The event that starts a round of turns. */
export type RoundTrigger = 'start' | 'changes-requested' | 'guidance' | 'conflicts' | 'restart';

type IssueText = { number: number; title: string; body: string };
export type Task = {
  issue?: IssueText | undefined;
  pullRequest?: IssueText | undefined;
  release?: string | undefined;
  instructions?: string | undefined;
};
export type ReviewComment = { step: string; summary: string };
type Diff = { summary: string; patch: string };

const diffCharactersMax = 60_000;

export function startMessage(task: Task): string {
  return [
    task.issue && `Issue #${task.issue.number}:`,
    task.issue && wrapUntrusted(`issue ${task.issue.number}`, `${task.issue.title}\n\n${task.issue.body}`),
    task.pullRequest && `Pull request #${task.pullRequest.number}, whose branch you are on:`,
    task.pullRequest &&
      wrapUntrusted(`pull request ${task.pullRequest.number}`, `${task.pullRequest.title}\n\n${task.pullRequest.body}`),
    task.instructions && wrapUntrusted('instructions of the person who started the run', task.instructions),
    task.release,
    !task.issue &&
      !task.pullRequest &&
      !task.release &&
      !task.instructions &&
      'There is no issue: follow your responsibilities.',
  ]
    .filter(Boolean)
    .join('\n\n');
}

const diffHeadings = {
  'to-review': 'The change to review:',
  'changed-since-review': 'The change since your last verdict was updated. Review the whole change again:',
  current: 'The changes of the pull request so far. Add what is missing; if nothing is missing, change nothing:',
};

/** Shows the diff of the whole change, truncated at the size limit. */
export function diffMessage({ summary, patch }: Diff, heading: keyof typeof diffHeadings): string {
  const shown = patch.slice(0, diffCharactersMax);
  const rest = patch.length - shown.length;
  return [
    diffHeadings[heading],
    summary.trim() === '' ? 'No file is changed.' : wrapUntrusted('diff', `${summary}\n${shown}`),
    rest > 0 && `${rest} more characters of the diff are not shown. Read the files for the rest.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function changesRequestedMessage(comments: ReviewComment[]): string {
  const blocks = comments.map(({ step, summary }) => wrapUntrusted(`verdict of ${step}`, summary));
  return `The reviews request changes. Address each point, run the tests, then finish again.\n\n${blocks.join('\n\n')}`;
}

export const restartMessage = (guidance: string[]): string =>
  [
    'An earlier attempt of yours was discarded. Start over.',
    ...guidance.map((text) => `A member of the org gave this guidance.\n\n${wrapUntrusted('guidance', text)}`),
  ].join('\n\n');

export const discardedMessage =
  'The changes of your previous turn were rejected, and the files are as they were before it. Make those that are still needed again.';

export function guidanceMessage(text: string): string {
  return `A member of the org gives this guidance. Continue with it.\n\n${wrapUntrusted('guidance', text)}`;
}

/** `filesWithoutMarkers` are conflicted files that git could not write markers into. */
export function conflictsMessage(
  baseBranch: string,
  { files, filesWithoutMarkers }: { files: string[]; filesWithoutMarkers: string[] },
): string {
  return [
    `Merging the base branch "${baseBranch}" into this branch conflicts in the files below. They contain conflict markers.`,
    wrapUntrusted('conflicted files', files.join('\n')),
    ...(filesWithoutMarkers.length > 0
      ? [
          'These files contain no markers, because one side deleted them, or they are binary or submodules. The version that you leave is kept; say in your summary what the other side had.',
          wrapUntrusted('conflicted files without markers', filesWithoutMarkers.join('\n')),
        ]
      : []),
    'Resolve each conflict so that both sides keep their intent, change nothing else, run the tests, then finish.',
  ].join('\n\n');
}

export const reminderMessage =
  'You called no tool. Call a tool, or end the step with finish; without a call the step stops and asks a person for guidance.';
