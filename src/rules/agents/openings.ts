import { outsideText } from './outside-text.ts';

/** Why a round of turns begins. */
export type Opening = 'start' | 'changes-requested' | 'guidance' | 'conflicts';

type Words = { number: number; title: string; body: string };
export type Task = {
  issue?: Words | undefined;
  pullRequest?: Words | undefined;
  release?: string | undefined;
  instructions?: string | undefined;
};
export type Objection = { step: string; summary: string };
type Diff = { summary: string; patch: string };

const diffCharactersMax = 60_000;

export function startMessage(task: Task): string {
  return [
    task.issue && `Issue #${task.issue.number}:`,
    task.issue && outsideText(`issue ${task.issue.number}`, `${task.issue.title}\n\n${task.issue.body}`),
    task.pullRequest && `Pull request #${task.pullRequest.number}, whose branch you are on:`,
    task.pullRequest &&
      outsideText(`pull request ${task.pullRequest.number}`, `${task.pullRequest.title}\n\n${task.pullRequest.body}`),
    task.instructions && outsideText('instructions of the person who started the run', task.instructions),
    task.release,
    !task.issue &&
      !task.pullRequest &&
      !task.release &&
      !task.instructions &&
      'There is no issue: your responsibilities say what to do.',
  ]
    .filter(Boolean)
    .join('\n\n');
}

const diffHeadings = {
  'to-judge': 'The change to judge:',
  again: 'The work was changed since your last verdict. Judge it again as a whole.',
  'so-far': 'What the pull request changes so far; add what is missing, and nothing where nothing is:',
};

/** The whole change, cut where it is too long to show. */
export function diffMessage({ summary, patch }: Diff, as: keyof typeof diffHeadings): string {
  const shown = patch.slice(0, diffCharactersMax);
  const rest = patch.length - shown.length;
  return [
    diffHeadings[as],
    summary.trim() === '' ? 'It changes no file.' : outsideText('diff', `${summary}\n${shown}`),
    rest > 0 && `${rest} more characters of the diff are not shown: read the files.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function changesRequestedMessage(objections: Objection[]): string {
  const blocks = objections.map(({ step, summary }) => outsideText(`verdict of ${step}`, summary));
  return `Your work was reviewed and sent back. Settle each point, run the tests, then finish again.\n\n${blocks.join('\n\n')}`;
}

export function guidanceMessage(text: string): string {
  return `A person of the org answers; go on with this.\n\n${outsideText('guidance', text)}`;
}

/** `unmarked` are those of the files whose conflict nothing in them shows. */
export function conflictsMessage(
  baseBranch: string,
  { files, unmarked }: { files: string[]; unmarked: string[] },
): string {
  return [
    `The base branch "${baseBranch}" was merged into this work and conflicts in the files below. The markers are in them.`,
    outsideText('conflicted files', files.join('\n')),
    ...(unmarked.length > 0
      ? [
          'These have no markers, since one side deleted them or they are no text. What you leave there stays; say in your summary what the other side had.',
          outsideText('conflicted files without markers', unmarked.join('\n')),
        ]
      : []),
    'Settle each conflict so that both sides keep what they meant, change nothing else, run the tests, then finish.',
  ].join('\n\n');
}

export const reminderMessage =
  'You called no tool. Go on with a tool, or end the step with finish; without a call the step stops and asks a person.';
