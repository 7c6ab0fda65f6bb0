import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { OpenNetwork } from '../../src/integrations/network/egress-proxy.ts';
import type { Models } from '../../src/integrations/models/models.ts';
import type { Sandbox } from '../../src/integrations/sandbox/sandbox.ts';
import type { RoundTrigger } from '../../src/rules/agents/prompts.ts';
import type { TurnRef } from '../../src/rules/agents/transcript-keys.ts';
import type { Conflict } from '../../src/rules/agents/transcript-parts.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import type { RunContextDeps } from '../changes/run-context.ts';
import type { Assignment } from './assignment.ts';
import type { Workspace, WorkingTree } from './working-tree.ts';

export type AgentDeps = RunContextDeps & {
  blobs: Blobs;
  models: Pick<Models, 'forOrg'>;
  sandbox: Sandbox;
  /** Opens the network of one command. Absent if the installation allows no network to agents. */
  openNetwork?: OpenNetwork;
  /** The folder for checkouts on this host. Its loss costs time, but no work. */
  checkoutsDir: string;
  /** The name of this host's task queue, which later turns use to reach the same checkout. */
  host?: string;
  now?: () => Date;
};

export type RunAgentTurnInput = {
  org: string;
  run: string;
  step: string;
  /** Counts from 1 over all rounds of the step. */
  turn: number;
  /** Set on the first turn of a round. */
  trigger?: RoundTrigger;
};

export type TurnOutcome = {
  done: boolean;
  /** A passing verdict is truncated; the transcript has the full text. */
  verdict?: Verdict;
  usage: Usage;
  /** The tip of the run's branch after the turn. Absent before the first commit of the run, and for report steps. */
  headSha?: string;
  changed: boolean;
  /** The name of the host that has the checkout. */
  host?: string;
};

/** The state of one turn in progress. */
export type TurnContext = {
  deps: AgentDeps;
  assignment: Assignment;
  ref: TurnRef;
  trigger: RoundTrigger | undefined;
  signal: AbortSignal | undefined;
  /** Prepares the checkout on the first call and returns the same one afterwards. */
  prepareTree: (conflict?: Conflict) => Promise<WorkingTree>;
  workspace: Workspace;
  at: string;
  now: () => Date;
};
