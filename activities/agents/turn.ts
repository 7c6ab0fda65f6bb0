import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Models } from '../../src/integrations/models/models.ts';
import type { Sandbox } from '../../src/integrations/sandbox/sandbox.ts';
import type { Opening } from '../../src/rules/agents/openings.ts';
import type { TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import type { Assignment, PlaceDeps } from './assignment.ts';
import type { Conflict } from './transcript.ts';
import type { Workshop, WorkTree } from './work-tree.ts';

export type AgentDeps = PlaceDeps & {
  blobs: Blobs;
  models: Pick<Models, 'forOrg'>;
  sandbox: Sandbox;
  /** Folder of this host for checkouts; losing it costs time, never work. */
  checkoutsDir: string;
  /** What the queue of this host is known by: whoever goes on there finds its checkout. */
  host?: string;
  now?: () => Date;
};

export type AgentTurn = {
  org: string;
  run: string;
  step: string;
  /** From 1, over all rounds of the step. */
  turn: number;
  /** Set on the first turn of a round. */
  opening?: Opening;
};

export type TurnOutcome = {
  done: boolean;
  /** In brief where it passes. */
  verdict?: Verdict;
  usage: Usage;
  /** Tip of the run's branch after this turn; absent while the branch has no commit of ours, and for report steps. */
  headSha?: string;
  changed: boolean;
  /** Who holds the checkout now. */
  host?: string;
};

/** One turn under way. */
export type Turn = {
  deps: AgentDeps;
  assignment: Assignment;
  ref: TurnRef;
  opening: Opening | undefined;
  signal: AbortSignal | undefined;
  /** Prepared once, when something needs it. */
  tree: (conflict?: Conflict) => Promise<WorkTree>;
  workshop: Workshop;
  at: string;
};
