import { z } from '@hono/zod-openapi';
import { spanStates, stages } from '../../src/rules/activity/lanes.ts';
import { runPhases } from '../../src/rules/changes/kinds.ts';
import { NameLabel, Timestamp } from '../../src/rules/names.ts';
import { releasePhases } from '../../src/rules/releases/kinds.ts';
import { decimal, PageQuery } from '../http/views.ts';

/** The longest window: three weeks. */
export const hoursMax = 504;

export const ActivityQuery = PageQuery.extend({
  hours: decimal({ min: 1, max: hoursMax })
    .default(6)
    .openapi({ description: 'Number of hours until now.', default: 6 }),
  product: NameLabel.optional().describe('Only runs and Releases of this Product.'),
});

const Span = z
  .object({
    name: z.string().describe('Step of a run or stage of a Release.'),
    state: z
      .enum(spanStates)
      .describe(
        'State of the span; `waiting` waits for a person, `sent-back` was sent back by a review, `held` waits for a freeze or an order.',
      ),
    from: Timestamp.describe('Beginning of the span.'),
    to: Timestamp.optional().describe('End of the span; absent while it is in progress.'),
    round: z.int().optional().describe('Round of the step.'),
    zone: z.string().optional().describe('Zone of the stage.'),
  })
  .openapi('ActivitySpan');
const lane = {
  name: z.string().describe('Name of the run or Release.'),
  product: z.string().describe('Name of the Product.'),
  from: Timestamp.describe('Time at which it started.'),
  to: Timestamp.optional().describe('Time at which it ended; absent while it is in progress.'),
  spans: z.array(Span).describe('Spans of the lane that overlap the window, oldest first.'),
};
const Lane = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('run').describe('A run of an AgentWorkflow.'),
      ...lane,
      agentWorkflow: z.string().describe('AgentWorkflow of the run.'),
      phase: z.enum(runPhases).describe('Phase of the run.'),
      number: z.int().optional().describe('Number of the issue or pull request.'),
      title: z.string().optional().describe('Title of the issue or pull request.'),
      costMicroUsd: z.int().describe('Cost of the whole run in millionths of a US dollar.'),
    }),
    z.object({
      kind: z.literal('release').describe('A Release.'),
      ...lane,
      version: z.string().describe('Version of the Release.'),
      phase: z.enum(releasePhases).describe('Phase of the Release.'),
    }),
  ])
  .openapi('ActivityLane');

export const ActivityView = z
  .object({
    org: z.string().describe('Name of the org.'),
    hours: z.int().describe('Number of hours.'),
    from: Timestamp.describe('Beginning of the window.'),
    to: Timestamp.describe('End of the window.'),
    runs: z.int().describe('Number of runs in the window.'),
    releases: z.int().describe('Number of Releases in the window.'),
    goingOn: z.int().describe('Number of these that are in progress.'),
    waiting: z.int().describe('Number of these that wait for a person.'),
    agents: z
      .object({
        seconds: z.number().describe('Time that the models and the tools took, in seconds.'),
        tokens: z.int().describe('Number of tokens.'),
        costMicroUsd: z.int().describe('Cost in millionths of a US dollar.'),
        concurrentMax: z.int().describe('Largest number of agents that worked at the same time.'),
      })
      .describe('Work of all agents in the runs of the window.'),
    people: z
      .object({
        seconds: z.number().describe('Time of the window in which runs and Releases waited for people, in seconds.'),
        longest: z
          .object({
            kind: z.enum(['run', 'release']).describe('Kind of the lane.'),
            name: z.string().describe('Name of the run or Release.'),
            product: z.string().describe('Name of the Product.'),
            label: z.string().describe('Number or version.'),
            seconds: z.number().describe('Length of the wait within the window, in seconds.'),
          })
          .optional()
          .describe('Longest wait; absent if nothing waited.'),
      })
      .describe('Waits for people.'),
    reachedProduction: z
      .array(
        z.object({
          release: z.string().describe('Name of the Release.'),
          product: z.string().describe('Name of the Product.'),
          version: z.string().describe('Version of the Release.'),
        }),
      )
      .describe('Releases that became healthy in a release zone in the window.'),
    byRole: z
      .array(
        z.object({
          role: z.string().describe('Name of the AgentRole.'),
          steps: z.int().describe('Number of steps.'),
          seconds: z.number().describe('Time that the models and the tools took, in seconds.'),
          tokens: z.int().describe('Number of tokens.'),
          costMicroUsd: z.int().describe('Cost in millionths of a US dollar.'),
        }),
      )
      .describe('Work of the agents by AgentRole. A step counts as a whole if its run was active in the window.'),
    byStage: z
      .array(
        z.object({
          stage: z.enum(stages).describe('Stage of a Release.'),
          isReleaseZone: z
            .boolean()
            .optional()
            .describe('Whether the zone is a release zone; absent for build and tag.'),
          count: z.int().describe('Number of times that the stage ended.'),
          medianSeconds: z.number().optional().describe('Median time in seconds; absent if it never ended.'),
          latest: z
            .object({
              release: z.string().describe('Name of the Release.'),
              product: z.string().describe('Name of the Product.'),
              seconds: z.number().describe('Time in seconds, until now while it is in progress.'),
              isGoingOn: z.boolean().describe('Whether it is still in progress.'),
            })
            .describe('The stage that began last.'),
        }),
      )
      .describe('Time of each stage of the Releases, in order.'),
    items: z.array(Lane).describe('Runs and Releases, the latest start first.'),
    continue: z.string().optional().describe('Token of the next page; absent on the last page.'),
  })
  .openapi('Activity');
