import { z } from 'zod';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { toolResultsMessage } from '../../src/integrations/models/models.ts';
import { criteriaProblem } from '../../src/rules/agents/judge-criteria.ts';
import { draftProblem } from '../../src/rules/changes/drafts.ts';
import { reminderMessage } from '../../src/rules/agents/openings.ts';
import { noUsage } from '../../src/rules/agents/usage.ts';
import { turnKey } from '../../src/rules/agents/transcript-keys.ts';
import { hasNetwork, toolsFor } from './assignment.ts';
import { limitBefore } from './judge-budgets.ts';
import { publishEvidence, recordDraft, recordEvidence, restoreEvidence } from './keep-evidence.ts';
import { noteInLedger } from './ledger.ts';
import { openRound } from './open-round.ts';
import { removeTree } from './remove-tree.ts';
import { runTools, type ToolContext } from './run-tools.ts';
import {
  readPart,
  readTranscript,
  writePart,
  type AnswerPart,
  type Conflict,
  type KeptEvidence,
  type ResultsPart,
} from './transcript.ts';
import type { Turn, TurnOutcome } from './turn.ts';
import * as work from './work-tree.ts';

/**
 * Opening → answer → results → push, each recorded before the next begins: whoever takes the turn up again after a
 * crash asks the model nothing twice, and pushes nothing twice.
 */
export async function takeTurn(turn: Turn): Promise<TurnOutcome> {
  const { deps, ref } = turn;
  const answer = (await readPart(deps.blobs, ref, 'answer')) ?? (await askModel(turn));
  if ('limit' in answer) return stoppedAt(answer.limit);
  await noteInLedger(turn, answer);
  const { conflict, wasReminded, evidence } = await readTranscript(deps.blobs, ref);
  const recorded = await readPart(deps.blobs, ref, 'results');
  const results = recorded ?? (await useTools(turn, answer, { conflict, wasReminded, evidence }));
  const { usage } = answer;
  const kept = results.evidence ?? evidence;
  if (results.verdict && kept) await publishEvidence(turn, kept);
  try {
    const headSha = await publish(turn, results, { conflict, answer, isInTree: !recorded });
    const verdict = results.verdict && { verdict: results.verdict };
    return { done: verdict !== undefined, ...verdict, usage, ...(headSha && { headSha }), changed: results.changed };
  } catch (error) {
    // Somebody else's commits are in the way: only a person knows whose work is wanted.
    if (!isServiceError(error, 'conflict')) throw error;
    return { done: true, verdict: { outcome: 'needs-guidance', summary: error.message }, usage, changed: false };
  }
}

const stoppedAt = (limit: string): TurnOutcome => ({
  done: true,
  verdict: { outcome: 'needs-guidance', summary: limit },
  usage: noUsage,
  changed: false,
});

/** Asks, unless a limit stands before it: then it says which. */
async function askModel(turn: Turn): Promise<AnswerPart | { limit: string }> {
  const { deps, assignment, ref, signal } = turn;
  const unreachable = forkProblem(assignment);
  if (unreachable) return { limit: unreachable };
  await openRound(turn);
  const { system, messages, openedAt } = await readTranscript(deps.blobs, ref);
  const model = await deps.models.forOrg(assignment.org, assignment.role.model);
  const limit = await limitBefore(turn, { model, openedAt });
  if (limit) return { limit };
  const tools = toolsFor(assignment).map(({ name, description, input }) => ({
    name,
    description,
    parameters: z.toJSONSchema(input, { io: 'input' }),
  }));
  const answer = { ...(await model.answer({ system, messages, tools, signal })), model: model.name, at: turn.at };
  await writePart(deps.blobs, ref, { answer });
  return answer;
}

/** Reports on a fork are fine: nothing is pushed for them. */
function forkProblem({ given, step, branch }: Turn['assignment']): string | undefined {
  if (!given?.isFork || step.mode === 'report') return undefined;
  const fix = 'Push it to a branch of this repo and start a run on that, or cancel this run.';
  return `The branch "${branch}" of pull request #${given.number} is in a fork, which the service cannot push to. ${fix}`;
}

type Round = { conflict: Conflict | undefined; wasReminded: boolean; evidence: KeptEvidence | undefined };

async function useTools(turn: Turn, answer: AnswerPart, round: Round): Promise<ResultsPart> {
  const { deps, assignment, ref, signal, at } = turn;
  if (answer.toolCalls.length === 0) return await recordSilence(turn, answer, round);
  let prepared: Promise<work.WorkTree> | undefined;
  const prepare = async (): Promise<work.WorkTree> => await (prepared ??= prepareForTools(turn, round));
  const context: ToolContext = {
    tools: toolsFor(assignment),
    network: hasNetwork(assignment),
    checkout: async () => (await prepare()).checkout,
    sandbox: deps.sandbox,
    objection: async ({ verdict, draft }) => {
      const missing = draftProblem(assignment.step, verdict, draft);
      if (missing) return missing;
      const unjudged = criteriaProblem(assignment.step, verdict);
      if (unjudged) return unjudged;
      if (verdict.outcome !== 'done' || assignment.step.mode === 'report') return undefined;
      return await objectionTo(await prepare(), round.conflict);
    },
    signal,
  };
  const { results, ending } = await runTools(context, answer.toolCalls);
  const tree = await prepared;
  const left = tree && (await recordEvidence(turn, tree.checkout.tree, round.evidence));
  const evidence = ending?.draft === undefined ? left : await recordDraft(turn, ending.draft, left ?? round.evidence);
  const staged = tree && assignment.step.mode === 'change' ? await stage(turn, tree) : undefined;
  const verdict = staged?.problem === undefined ? ending?.verdict : undefined;
  const last = results.at(-1);
  if (last) last.text += [...stagedText(staged), ...skippedText(evidence)].join('');
  const messages = [toolResultsMessage(results)];
  const changed = staged?.patch !== undefined;
  const part: ResultsPart = { messages, ...(verdict && { verdict }), changed, at, ...(evidence && { evidence }) };
  await writePart(deps.blobs, ref, { results: part });
  return part;
}

async function prepareForTools(turn: Turn, { conflict, evidence }: Round): Promise<work.WorkTree> {
  const tree = await turn.tree(conflict);
  await restoreEvidence(turn, tree.checkout.tree, evidence);
  return tree;
}

function stagedText({ leftOut, problem }: Staged = { patch: undefined, leftOut: [] }): string[] {
  if (problem !== undefined)
    return [`\nThe files cannot be committed, and what this turn changed is thrown away: ${problem}`];
  return leftOut.length > 0
    ? [`\nNo file that can be committed, or too large, and left out: ${leftOut.join(', ')}.`]
    : [];
}

const skippedText = (kept: KeptEvidence | undefined): string[] =>
  (kept?.skipped ?? []).map(({ name, reason }) => `\nNot kept as evidence: ${name}. ${reason}`);

/** A model that only talks is reminded once; after that a person has to look. */
async function recordSilence(
  { deps, ref, at }: Turn,
  answer: AnswerPart,
  { wasReminded }: Round,
): Promise<ResultsPart> {
  const summary = `The agent ended without a verdict: ${answer.text.trim() || '(it said nothing)'}`.slice(0, 4000);
  const results: ResultsPart = wasReminded
    ? { messages: [], verdict: { outcome: 'needs-guidance', summary }, changed: false, at }
    : { messages: [{ role: 'user', content: reminderMessage }], changed: false, at };
  await writePart(deps.blobs, ref, { results });
  return results;
}

type Staged = { patch: Uint8Array | undefined; leftOut: string[]; problem?: string };

/** The patch is kept before anything else: with it the turn can be pushed from any host. */
async function stage(turn: Turn, { checkout }: work.WorkTree): Promise<Staged> {
  const staged = await checkout.stage().catch(async (error: unknown): Promise<Staged> => {
    turn.signal?.throwIfAborted();
    // Names too long, a pipe in a file's place: trying again would find the same, so the agent has to know.
    await removeTree(turn.workshop.folder);
    return { patch: undefined, leftOut: [], problem: textOf(error) };
  });
  if (staged.patch) await turn.deps.blobs.put(turnKey(turn.ref, 'patch'), staged.patch);
  return staged;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

async function objectionTo(tree: work.WorkTree, conflict: Conflict | undefined): Promise<string | undefined> {
  if (!conflict && tree.branchSha) return undefined;
  const staged = await tree.checkout.stage().catch((error: unknown) => ({ patch: undefined, problem: textOf(error) }));
  if ('problem' in staged) return `The files cannot be committed: ${staged.problem}`;
  if (!conflict) {
    if (staged.patch) return undefined;
    return 'Nothing is changed yet. Change what the issue asks for, or finish with "needs-guidance" and say why not.';
  }
  const marked = await tree.checkout.markers([conflict.branchSha, conflict.baseSha]);
  if (marked.length === 0) return undefined;
  const shown = marked.slice(0, 30).join(', ');
  return `There are conflict markers left at ${shown}. Settle them, run the tests, then finish again.`;
}

type Publishing = { conflict: Conflict | undefined; answer: AnswerPart; isInTree: boolean };

/** Brings the turn's changes to the code host; answers the tip of the branch. */
async function publish(
  turn: Turn,
  results: ResultsPart,
  { conflict, answer, isInTree }: Publishing,
): Promise<string | undefined> {
  const { assignment, ref } = turn;
  if (assignment.step.mode === 'report') return undefined;
  const merges = results.verdict?.outcome === 'done' ? conflict : undefined;
  if (!results.changed && !merges) return await assignment.host.branchHead(assignment.repo, assignment.branch);

  const tree = await turn.tree(conflict);
  const commit = { step: ref.step, turn: ref.turn, message: titleOf(results, answer), at: results.at };
  if (await work.isPublished(assignment, tree, commit)) return tree.branchSha;
  if (!isInTree) await applyPatch(turn, tree);
  return await work.publish(assignment, tree, { ...commit, resolves: conflict, merges });
}

const titleOf = ({ verdict }: ResultsPart, { text }: AnswerPart): string => verdict?.summary ?? text;

async function applyPatch({ deps, ref, assignment }: Turn, { checkout }: work.WorkTree): Promise<void> {
  const patch = await deps.blobs.find(turnKey(ref, 'patch'));
  if (!patch || (await checkout.apply(patch))) return;
  const fix = 'What it changed is left out; give guidance to let it go on from what is there now.';
  throw new ServiceError(
    'conflict',
    `Other commits on "${assignment.branch}" touch the same lines as the agent did. ${fix}`,
  );
}
