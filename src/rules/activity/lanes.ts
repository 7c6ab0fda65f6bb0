import type { RunPhase } from '../changes/kinds.ts';
import type { Release } from '../releases/kinds.ts';

export const spanStates = ['done', 'working', 'waiting', 'sent-back', 'held', 'failed', 'idle'] as const;
export type SpanState = (typeof spanStates)[number];

/** A part of a lane; `to` is absent while it is in progress. Times are milliseconds since 1970. */
export type Span = { name: string; state: SpanState; from: number; to?: number; round?: number; zone?: string };

type LaneBase = { name: string; product: string; from: number; to?: number; spans: Span[] };
/** The work of one AgentRole in a run, in all rounds of its steps. */
export type RoleWork = { role: string; step: string; tokens: number; costMicroUsd: number; seconds: number };
export type RunLane = LaneBase & {
  kind: 'run';
  agentWorkflow: string;
  phase: RunPhase;
  number?: number;
  title?: string;
  costMicroUsd: number;
  work: RoleWork[];
};
export type ReleaseLane = LaneBase & {
  kind: 'release';
  version: string;
  phase: NonNullable<Release['status']>['phase'];
  stages: StageTime[];
  deployments: { zone: string; healthyAt: number }[];
};
export type Lane = RunLane | ReleaseLane;

export const stages = ['build', 'tag', 'approval', 'deploy', 'smoke-check'] as const;
export type Stage = (typeof stages)[number];
/** The time of one stage of a Release; without `to` it is in progress. */
export type StageTime = { stage: Stage; zone?: string; from: number; to?: number };

/** The part of a Promotion in the lane of its Release. */
export type PromotionPart = Pick<
  ReleaseLane,
  'product' | 'version' | 'from' | 'to' | 'spans' | 'stages' | 'deployments'
> & {
  release: string;
};
