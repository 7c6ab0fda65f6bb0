import { z } from 'zod';
import { isServiceError } from '../../src/errors.ts';
import type { EgressProxy, OpenNetwork } from '../../src/integrations/network/egress-proxy.ts';
import { toToolResultsMessage } from '../../src/integrations/models/models.ts';
import type { BudgetViolation } from '../../src/rules/agents/budget-violation.ts';
import { criteriaViolation } from '../../src/rules/agents/criteria-violation.ts';
import { reminderMessage } from '../../src/rules/agents/prompts.ts';
import type { Conflict, ResponsePart, ResultsPart, StoredEvidence } from '../../src/rules/agents/transcript-parts.ts';
import { noUsage } from '../../src/rules/agents/usage.ts';
import { draftViolation } from '../../src/rules/changes/drafts.ts';
import { listAssignedTools } from './assignment.ts';
import { findExceededBudget } from './find-exceeded-budget.ts';
import { openRound } from './open-round.ts';
import { publishChanges } from './publish-changes.ts';
import { runTools, type ToolContext } from './run-tools.ts';
import { stageChanges, type StagedChanges, unfinishedViolation } from './stage-changes.ts';
import { publishEvidence, restoreEvidence, saveDraft, saveEvidence } from './store-evidence.ts';
import { readTranscript, readTurnPart, saveTurnPart } from './transcript.ts';
import type { TurnContext, TurnOutcome } from './turn.ts';
import { recordUsage, toTurnUsage } from './usage-ledgers.ts';
import type { WorkingTree } from './working-tree.ts';

/**
 * Runs prompt → response → results → push, and records each part before the next begins: a retry after a crash sends no
 * request to the model twice and pushes nothing twice.
 */
export async function runTurn(turn: TurnContext): Promise<TurnOutcome> {
  const { deps, ref } = turn;
  const response = (await findResponse(turn)) ?? (await requestResponse(turn));
  if ('limit' in response) return toLimitOutcome(response.limit);
  await recordUsage(turn, response);
  const { conflict, wasReminded, evidence } = await readTranscript(deps.blobs, ref);
  const recorded = await readTurnPart(deps.blobs, ref, 'results');
  const results = recorded ?? (await runToolCalls(turn, response, { conflict, wasReminded, evidence }));
  const usage = toTurnUsage(response, results);
  if (results.seconds !== undefined) await recordUsage(turn, response, results);
  const stored = results.evidence ?? evidence;
  if (results.verdict && stored) await publishEvidence(turn, stored);
  try {
    const headSha = await publishChanges(turn, results, { conflict, response, isInTree: !recorded });
    const verdict = results.verdict && { verdict: results.verdict };
    return { done: verdict !== undefined, ...verdict, usage, ...(headSha && { headSha }), changed: results.changed };
  } catch (error) {
    // Other commits conflict with the turn, and only a person can decide which ones to keep.
    if (!isServiceError(error, 'conflict')) throw error;
    return { done: true, verdict: { outcome: 'needs-guidance', summary: error.message }, usage, changed: false };
  }
}

const secondsSince = (now: Date, startedAt: Date): number => (now.getTime() - startedAt.getTime()) / 1000;

const toLimitOutcome = ({ reason, message, fix }: BudgetViolation): TurnOutcome => ({
  done: true,
  verdict: { outcome: 'needs-guidance', reason, summary: `${message} ${fix}` },
  usage: noUsage,
  changed: false,
});

/** A person may have answered after the turn failed behind its response: guidance is added, and a restart discards it. */
async function findResponse(turn: TurnContext): Promise<ResponsePart | undefined> {
  const find = async () => await readTurnPart(turn.deps.blobs, turn.ref, 'response');
  const response = await find();
  if (!response || (turn.trigger !== 'guidance' && turn.trigger !== 'restart')) return response;
  await openRound(turn);
  return await find();
}

/** Sends the request to the model, or returns the limit that does not allow it. */
async function requestResponse(turn: TurnContext): Promise<ResponsePart | { limit: BudgetViolation }> {
  const { deps, assignment, ref, signal } = turn;
  const unreachable = forkViolation(assignment) ?? guardedBranchViolation(assignment);
  if (unreachable) return { limit: unreachable };
  await openRound(turn);
  const { system, messages, roundStartedAt } = await readTranscript(deps.blobs, ref);
  const model = await deps.models.forOrg(assignment.org, assignment.role.model);
  const limit = await findExceededBudget(turn, { model, roundStartedAt });
  if (limit) return { limit };
  const tools = listAssignedTools(assignment).map(({ name, description, inputSchema }) => ({
    name,
    description,
    parameters: z.toJSONSchema(inputSchema, { io: 'input' }),
  }));
  const startedAt = turn.now();
  const answer = await model.generate({ system, messages, tools, signal });
  const usage = { ...answer.usage, seconds: secondsSince(turn.now(), startedAt) };
  const response = { ...answer, usage, model: model.name, at: turn.at };
  await saveTurnPart(deps.blobs, ref, { response });
  return response;
}

/** Report steps may run on a fork, because they push nothing. */
function forkViolation({ targetPullRequest, step, branch }: TurnContext['assignment']): BudgetViolation | undefined {
  if (!targetPullRequest?.isFork || step.mode === 'report') return undefined;
  const fix = 'Push it to a branch of this repo and start a run on that, or cancel this run.';
  const message = `The branch "${branch}" of pull request #${targetPullRequest.number} is in a fork, which the service cannot push to.`;
  return { reason: 'fork-not-writable', message, fix };
}

/** A conflict of a guarded branch can only be resolved on that branch; every other step commits to a new branch. */
function guardedBranchViolation({
  targetPullRequest,
  step,
  gitRef,
  pushRef,
}: TurnContext['assignment']): BudgetViolation | undefined {
  if (!targetPullRequest || pushRef === gitRef || step.mode === 'report' || !step.when) return undefined;
  const branch = gitRef.replace('refs/heads/', '');
  return {
    reason: 'branch-guarded',
    message: `Pull request #${targetPullRequest.number} conflicts with its base, and no agent may push to its branch "${branch}".`,
    fix: 'Resolve the conflict on that branch, then give guidance, or cancel this run.',
  };
}

const bindNetwork =
  (open: OpenNetwork, { run, step }: TurnContext['assignment']) =>
  async (): Promise<EgressProxy> =>
    await open({ namespace: run.metadata.namespace, run: run.metadata.name, step: step.name });

type RoundState = { conflict: Conflict | undefined; wasReminded: boolean; evidence: StoredEvidence | undefined };

async function runToolCalls(turn: TurnContext, response: ResponsePart, round: RoundState): Promise<ResultsPart> {
  const { deps, assignment, ref, signal, at } = turn;
  if (response.toolCalls.length === 0) return await saveResultsWithoutTools(turn, response, round);
  let prepared: Promise<WorkingTree> | undefined;
  const prepare = async (): Promise<WorkingTree> => await (prepared ??= prepareForTools(turn, round));
  const context: ToolContext = {
    tools: listAssignedTools(assignment),
    ...(assignment.hasNetwork && deps.openNetwork && { openNetwork: bindNetwork(deps.openNetwork, assignment) }),
    checkout: async () => (await prepare()).checkout,
    sandbox: deps.sandbox,
    finishViolation: async ({ verdict, draft }) => {
      const violation = draftViolation(assignment.step, verdict, draft) ?? criteriaViolation(assignment.step, verdict);
      if (violation) return violation;
      if (verdict.outcome !== 'done' || assignment.step.mode === 'report') return undefined;
      return await unfinishedViolation(await prepare(), round.conflict);
    },
    signal,
  };
  const startedAt = turn.now();
  const { results, ending } = await runTools(context, response.toolCalls);
  const seconds = secondsSince(turn.now(), startedAt);
  const tree = await prepared;
  const saved = tree && (await saveEvidence(turn, tree.checkout.workingTree, round.evidence));
  const evidence = ending?.draft === undefined ? saved : await saveDraft(turn, ending.draft, saved ?? round.evidence);
  const staged = tree && assignment.step.mode === 'change' ? await stageChanges(turn, tree) : undefined;
  const verdict = staged?.problem === undefined ? ending?.verdict : undefined;
  const last = results.at(-1);
  if (last) last.text += [...describeStaged(staged), ...describeSkipped(evidence)].join('');
  const messages = [toToolResultsMessage(results)];
  const changed = staged?.patch !== undefined;
  const part: ResultsPart = {
    messages,
    ...(verdict && { verdict }),
    changed,
    at,
    ...(evidence && { evidence }),
    seconds,
  };
  await saveTurnPart(deps.blobs, ref, { results: part });
  return part;
}

async function prepareForTools(turn: TurnContext, { conflict, evidence }: RoundState): Promise<WorkingTree> {
  const tree = await turn.prepareTree(conflict);
  await restoreEvidence(turn, tree.checkout.workingTree, evidence);
  return tree;
}

function describeStaged({ skipped, problem }: StagedChanges = { patch: undefined, skipped: [] }): string[] {
  if (problem !== undefined)
    return [`\nThe files cannot be committed, so the changes of this turn are discarded: ${problem}`];
  return skipped.length > 0
    ? [`\nSkipped, because the file is too large or cannot be committed: ${skipped.join(', ')}.`]
    : [];
}

const describeSkipped = (evidence: StoredEvidence | undefined): string[] =>
  (evidence?.skipped ?? []).map(({ name, reason }) => `\nNot kept as evidence: ${name}. ${reason}`);

/** A model that calls no tool is reminded once; the second time the step asks a person for guidance. */
async function saveResultsWithoutTools(
  { deps, ref, at }: TurnContext,
  response: ResponsePart,
  { wasReminded }: RoundState,
): Promise<ResultsPart> {
  const text = response.text.trim() || '(the response has no text)';
  const summary = `The agent ended without a verdict: ${text}`.slice(0, 4000);
  const results: ResultsPart = wasReminded
    ? { messages: [], verdict: { outcome: 'needs-guidance', summary }, changed: false, at }
    : { messages: [{ role: 'user', content: reminderMessage }], changed: false, at };
  await saveTurnPart(deps.blobs, ref, { results });
  return results;
}
