import type { Schemas } from './generated/openapi.ts';

/** The resources that pages show, by the names that people use for them. */
export type Change = Schemas['AgentWorkflowRun'];
export type ChangeSummary = Schemas['AgentWorkflowRunSummary'];
export type Me = Schemas['Me'];
export type Product = Schemas['Product'];
export type Release = Schemas['Release'];
export type Zone = Schemas['Zone'];
export type Step = NonNullable<Change['status']>['steps'][number];
export type Stage = Change['progress'][number];
export type ReleaseZone = NonNullable<Release['status']>['zones'][number];
export type Problem = Schemas['Problem'];
