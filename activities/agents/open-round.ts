import { defined } from '../../src/defined.ts';
import { buildSystemPrompt } from '../../src/rules/agents/build-system-prompt.ts';
import * as prompts from '../../src/rules/agents/prompts.ts';
import { guidanceKey, turnKey } from '../../src/rules/agents/transcript-keys.ts';
import type { Conflict, PromptPart } from '../../src/rules/agents/transcript-parts.ts';
import { listOpenReviewers } from '../../src/rules/changes/list-open-reviewers.ts';
import { describeRelease } from '../../src/rules/releases/describe-release.ts';
import { wasDiscarded } from './publish-changes.ts';
import { removeTree } from '../../src/processes/remove-tree.ts';
import { readRelease } from './read-release.ts';
import { findLastVerdict, readTurnPart, saveTurnPart } from './transcript.ts';
import type { TurnContext } from './turn.ts';
import { undoStepCommits } from './undo-step-commits.ts';
import { recordUsage } from './usage-ledgers.ts';
import { detectConflict, type DetectedConflict } from './working-tree.ts';

/** Saves the prompt that starts a round of turns; later turns of the round have no prompt. */
export async function openRound(turn: TurnContext): Promise<void> {
  const { deps, assignment, ref } = turn;
  const trigger = turn.trigger ?? (ref.turn === 1 ? 'start' : undefined);
  const existing = await readTurnPart(deps.blobs, ref, 'prompt');
  if (!trigger || (existing && !isNewAnswer(turn, existing))) return;
  if (existing && trigger === 'guidance') return await addGuidanceToPrompt(turn, existing);
  const { text, conflict } = await composePrompt(turn, trigger);
  const { step, role, run } = assignment;
  const prompt: PromptPart = {
    ...((ref.turn === 1 || trigger === 'restart') && {
      system: buildSystemPrompt({ product: run.spec.product, step, role, network: assignment.hasNetwork }),
    }),
    messages: [{ role: 'user', content: text }],
    trigger,
    at: turn.at,
    ...defined({ conflict, answeredAt: findAnswer(turn)?.at }),
  };
  await saveTurnPart(deps.blobs, ref, { prompt });
}

const findAnswer = ({ assignment: { run }, ref }: TurnContext) =>
  run.status?.steps.find(({ name }) => name === ref.step)?.guidance;

/** Reports whether a person has answered since the prompt was saved, which is possible when the turn failed. */
function isNewAnswer(turn: TurnContext, existing: PromptPart): boolean {
  if (turn.trigger !== 'guidance' && turn.trigger !== 'restart') return false;
  const answeredAt = findAnswer(turn)?.at;
  return answeredAt === undefined ? existing.trigger !== turn.trigger : existing.answeredAt !== answeredAt;
}

/** The turn failed after its prompt was saved; the person's guidance is appended to that prompt. */
async function addGuidanceToPrompt(turn: TurnContext, existing: PromptPart): Promise<void> {
  const { text } = await guidancePrompt(turn);
  const prompt: PromptPart = {
    ...existing,
    messages: [...existing.messages, { role: 'user', content: text }],
    // The transcript still begins where the step started over.
    trigger: existing.trigger === 'restart' ? 'restart' : 'guidance',
    at: turn.at,
    ...defined({ answeredAt: findAnswer(turn)?.at }),
  };
  await saveTurnPart(turn.deps.blobs, turn.ref, { prompt });
}

type Prompt = { text: string; conflict?: Conflict | undefined };

async function composePrompt(turn: TurnContext, trigger: prompts.RoundTrigger): Promise<Prompt> {
  switch (trigger) {
    case 'start':
      return { text: await startPrompt(turn, { isFirstRound: turn.ref.turn === 1 }) };
    case 'restart':
      return { text: await restartPrompt(turn) };
    case 'changes-requested': {
      const comments = await listReviewComments(turn);
      // The step is also repeated for a review of another one.
      return { text: comments.length > 0 ? prompts.changesRequestedMessage(comments) : continueMessage };
    }
    case 'guidance': {
      const { text, conflict } = await guidancePrompt(turn);
      const comments = (await beginsRound(turn)) ? await listReviewComments(turn) : [];
      const reviews = comments.length > 0 ? [prompts.changesRequestedMessage(comments)] : [];
      return { text: [...reviews, text].join('\n\n'), conflict };
    }
    case 'conflicts': {
      const detected = await detectConflict(turn.workspace, turn.at);
      const task = turn.ref.turn === 1 ? [await describeTask(turn)] : [];
      return { text: [...task, toConflictsMessage(detected)].join('\n\n'), conflict: detected.conflict };
    }
  }
}

const continueMessage = 'Continue with the step.';

/** Drops the files and commits of the step's earlier turns and what this turn has begun, and begins with the task and the guidance so far. */
async function restartPrompt(turn: TurnContext): Promise<string> {
  const { deps, assignment, ref, workspace, at } = turn;
  await removeTree(workspace.folder);
  // The response was paid for, and the turn may have failed before its usage was recorded.
  const response = await readTurnPart(deps.blobs, ref, 'response');
  if (response) await recordUsage(turn, response, await readTurnPart(deps.blobs, ref, 'results'));
  for (const part of ['response', 'patch', 'results'] as const) await deps.blobs.deletePrefix(turnKey(ref, part));
  if (assignment.step.mode === 'change') await undoStepCommits(workspace, { step: ref.step, turn: ref.turn, at });
  const people = assignment.run.status?.guidedBy ?? [];
  const given = await Promise.all(
    Array.from({ length: ref.turn }, (_, index) =>
      people.map(async (by) => await deps.blobs.find(guidanceKey({ ...ref, turn: index + 1 }, by))),
    ).flat(),
  );
  const guidance = given.flatMap((bytes) => (bytes ? [Buffer.from(bytes).toString()] : []));
  return [await startPrompt(turn, { isFirstRound: true }), prompts.restartMessage(guidance)].join('\n\n');
}

async function startPrompt(turn: TurnContext, { isFirstRound }: { isFirstRound: boolean }): Promise<string> {
  const { step } = turn.assignment;
  const isLaterRound = !isFirstRound;
  const task = isLaterRound ? [] : [await describeTask(turn)];
  const isChange = step.mode === 'change';
  if (isChange && isLaterRound) return continueMessage;
  if (isChange && !turn.assignment.targetPullRequest) return task.join('');
  const { checkout, baseSha, checkedOutSha, branchSha } = await turn.prepareTree();
  const diff = branchSha ? await checkout.diff(baseSha, checkedOutSha) : undefined;
  const heading = isChange ? 'current' : isLaterRound ? 'changed-since-review' : 'to-review';
  const messages = [...task, ...(diff ? [prompts.diffMessage(diff, heading)] : [])];
  return messages.length > 0 ? messages.join('\n\n') : continueMessage;
}

async function describeTask({ deps, assignment }: TurnContext): Promise<string> {
  const { target, instructions } = assignment.run.spec;
  // The code host serves the title and body of a pull request as an issue too.
  const issue = target && (await assignment.host.getIssue(target.repo, target.number));
  const about = assignment.targetPullRequest ? { pullRequest: issue } : { issue };
  const release = await readRelease(deps.store, assignment);
  return prompts.startMessage({ ...about, release: release && describeRelease(release), instructions });
}

/** Reports whether the step had passed before: a person then answers reviews that have used up their rounds. */
async function beginsRound({ deps, ref }: TurnContext): Promise<boolean> {
  const previous = await readTurnPart(deps.blobs, { ...ref, turn: ref.turn - 1 }, 'results');
  return previous?.verdict?.outcome === 'done';
}

/** Lists the comments that no earlier turn of the step has addressed. */
async function listReviewComments({ deps, assignment, ref }: TurnContext): Promise<prompts.ReviewComment[]> {
  const { spec, status } = assignment.run;
  const verdicts = await Promise.all(
    listOpenReviewers(spec.steps, status?.steps ?? [], ref.step).map(async (step) => ({
      step,
      verdict: await findLastVerdict(deps.blobs, ref.uid, step),
    })),
  );
  return verdicts.flatMap(({ step, verdict }) =>
    verdict?.outcome === 'changes-requested' ? [{ step, summary: verdict.summary }] : [],
  );
}

/** Guidance resumes the step, so it keeps the conflict of the previous round unless the branch has moved. */
async function guidancePrompt(turn: TurnContext): Promise<Prompt> {
  const { deps, ref } = turn;
  const answer = findAnswer(turn);
  const bytes = answer && (await deps.blobs.find(guidanceKey(ref, answer.by)));
  const guidance = prompts.guidanceMessage(bytes ? Buffer.from(bytes).toString() : 'Continue.');
  const text = (await wasDiscarded(turn)) ? `${prompts.discardedMessage}\n\n${guidance}` : guidance;
  const previous = await findPreviousConflict(turn);
  if (!previous) return { text };
  const current = await detectConflict(turn.workspace, turn.at);
  if (current.conflict.branchSha === previous.branchSha) return { text, conflict: previous };
  return { text: [text, toConflictsMessage(current)].join('\n\n'), conflict: current.conflict };
}

const toConflictsMessage = ({ baseBranch, conflict, filesWithoutMarkers }: DetectedConflict): string =>
  prompts.conflictsMessage(baseBranch, { files: conflict.files, filesWithoutMarkers });

async function findPreviousConflict({ deps, ref }: TurnContext): Promise<Conflict | undefined> {
  for (let turn = ref.turn - 1; turn >= 1; turn -= 1) {
    const prompt = await readTurnPart(deps.blobs, { ...ref, turn }, 'prompt');
    if (prompt) return prompt.conflict;
  }
  return undefined;
}
