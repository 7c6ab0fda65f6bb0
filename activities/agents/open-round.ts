import * as openings from '../../src/rules/agents/openings.ts';
import { instructions } from '../../src/rules/agents/instructions.ts';
import { turnKey } from '../../src/rules/agents/transcript-keys.ts';
import { hasNetwork } from './assignment.ts';
import { releaseFacts } from '../../src/rules/releases/release-facts.ts';
import { readRelease } from './read-release.ts';
import type { Turn } from './turn.ts';
import { lastVerdict, readPart, writePart, type Conflict, type OpeningPart } from './transcript.ts';
import { findConflict, type FoundConflict } from './work-tree.ts';

/** Writes what a round of turns begins with; the other turns of the round have nothing of the kind. */
export async function openRound(turn: Turn): Promise<void> {
  const { deps, assignment, ref } = turn;
  const reason = turn.opening ?? (ref.turn === 1 ? 'start' : undefined);
  const existing = await readPart(deps.blobs, ref, 'opening');
  if (existing) return reason === 'guidance' ? await addGuidance(turn, existing) : undefined;
  if (!reason) return;
  const { text, conflict } = await compose(turn, reason);
  const { step, role, run } = assignment;
  const opening: OpeningPart = {
    ...(ref.turn === 1 && {
      system: instructions({ product: run.spec.product, step, role, network: hasNetwork(assignment) }),
    }),
    messages: [{ role: 'user', content: text }],
    reason,
    at: turn.at,
    ...(conflict && { conflict }),
  };
  await writePart(deps.blobs, ref, { opening });
}

/** The round was opened, then refused before its first answer: what a person says about that comes on top. */
async function addGuidance(turn: Turn, existing: OpeningPart): Promise<void> {
  const { text } = await guidance(turn);
  const messages: OpeningPart['messages'] = [...existing.messages, { role: 'user', content: text }];
  if (existing.reason !== 'guidance') {
    await writePart(turn.deps.blobs, turn.ref, {
      opening: { ...existing, messages, reason: 'guidance', at: turn.at },
    });
  }
}

type Composed = { text: string; conflict?: Conflict | undefined };

async function compose(turn: Turn, reason: openings.Opening): Promise<Composed> {
  switch (reason) {
    case 'start':
      return { text: await start(turn) };
    case 'changes-requested':
      return { text: openings.changesRequestedMessage(await objections(turn)) };
    case 'guidance':
      return await guidance(turn);
    case 'conflicts': {
      const found = await findConflict(turn.workshop, turn.at);
      const about = turn.ref.turn === 1 ? [await task(turn)] : [];
      return { text: [...about, conflicts(found)].join('\n\n'), conflict: found.conflict };
    }
  }
}

const goOn = 'Go on with the step.';

async function start(turn: Turn): Promise<string> {
  const { step } = turn.assignment;
  const isAgain = turn.ref.turn > 1;
  const about = isAgain ? [] : [await task(turn)];
  const isChange = step.mode === 'change';
  if (isChange && isAgain) return goOn;
  if (isChange && !turn.assignment.given) return about.join('');
  const { checkout, baseSha, head, branchSha } = await turn.tree();
  const diff = branchSha ? await checkout.diff(baseSha, head) : undefined;
  const shown = isChange ? 'so-far' : isAgain ? 'again' : 'to-judge';
  const told = [...about, ...(diff ? [openings.diffMessage(diff, shown)] : [])];
  return told.length > 0 ? told.join('\n\n') : goOn;
}

async function task({ deps, assignment }: Turn): Promise<string> {
  const { target, instructions: typed } = assignment.run.spec;
  // A pull request's words are those of its issue.
  const words = target && (await assignment.host.issue(target.repo, target.number));
  const about = assignment.given ? { pullRequest: words } : { issue: words };
  const release = await readRelease(deps.store, assignment);
  return openings.startMessage({ ...about, release: release && releaseFacts(release), instructions: typed });
}

async function objections({ deps, assignment, ref }: Turn): Promise<openings.Objection[]> {
  const reviewers = assignment.run.spec.steps.filter((step) => step.type === 'agent' && step.reviews === ref.step);
  const verdicts = await Promise.all(
    reviewers.map(async ({ name }) => ({ step: name, verdict: await lastVerdict(deps.blobs, ref.uid, name) })),
  );
  return verdicts.flatMap(({ step, verdict }) =>
    verdict?.outcome === 'changes-requested' ? [{ step, summary: verdict.summary }] : [],
  );
}

/** Guidance goes on where the step was, so a conflict stays the one at hand, unless its branch has moved. */
async function guidance(turn: Turn): Promise<Composed> {
  const { deps, ref } = turn;
  const typed = await deps.blobs.find(turnKey(ref, 'guidance'));
  const text = openings.guidanceMessage(typed ? Buffer.from(typed).toString() : 'Go on.');
  const before = await conflictBefore(turn);
  if (!before) return { text };
  const now = await findConflict(turn.workshop, turn.at);
  if (now.conflict.branchSha === before.branchSha) return { text, conflict: before };
  return { text: [text, conflicts(now)].join('\n\n'), conflict: now.conflict };
}

const conflicts = ({ baseBranch, conflict, unmarked }: FoundConflict): string =>
  openings.conflictsMessage(baseBranch, { files: conflict.files, unmarked });

async function conflictBefore({ deps, ref }: Turn): Promise<Conflict | undefined> {
  for (let turn = ref.turn - 1; turn >= 1; turn -= 1) {
    const opening = await readPart(deps.blobs, { ...ref, turn }, 'opening');
    if (opening) return opening.conflict;
  }
  return undefined;
}
