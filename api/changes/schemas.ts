import { z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, Evidence, RunSpec, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import { Screenshot } from '../../src/rules/releases/kinds.ts';
import { viewSchema } from '../http/views.ts';

const ProgressStageView = z
  .object({
    stage: z
      .enum(['issue', 'review', 'pull-request', 'approval', 'merged', 'release', 'zone'])
      .describe('Kind of the stage.'),
    label: z.string().describe('Display name of the stage.'),
    colour: z.enum(['green', 'blue', 'amber', 'red', 'grey']).openapi({
      description: 'Green is done, blue in progress, amber waiting for a person, red failed and grey not started.',
    }),
    detail: z.string().optional().describe('What is happening in the stage.'),
    url: z.string().optional().describe('URL of the issue, the pull request, the Release or the zone.'),
    zone: z.string().optional().describe('Zone of the stage.'),
    screenshot: Screenshot.optional().describe('Site of the zone once it was Healthy.'),
  })
  .openapi('ProgressStage');

const StepView = StepStatus.extend({
  links: z
    .array(z.object({ title: z.string().describe('Title of the link.'), url: z.string().describe('URL of the link.') }))
    .describe('What the step produced: its pull request, the Release of its merge, and its posts.'),
}).openapi('Step');

const runFields = viewSchema(AgentWorkflowRunKind).extend({
  status: RunStatus.extend({ steps: z.array(StepView).describe('Steps of the run, in order.') })
    .optional()
    .describe('Observed state of the run.'),
  progress: z.array(ProgressStageView).describe('Stages of the Change from its issue to production, in order.'),
  release: z.string().optional().describe('Release that the merge of the run started.'),
});
export const RunView = runFields.openapi('AgentWorkflowRun');

/** Extends the fields instead of `RunView`, which the document would demand as a whole. */
export const RunSummaryView = runFields
  .extend({
    spec: RunSpec.omit({ instructions: true, steps: true, roles: true, limits: true }).describe(
      'Definition of the run, without instructions, steps, AgentRoles and limits.',
    ),
    status: RunStatus.omit({ decisions: true })
      .extend({
        steps: z.array(StepStatus.pick({ name: true, phase: true })).describe('Name and phase of each step, in order.'),
      })
      .optional()
      .describe('Observed state of the run.'),
  })
  .openapi('AgentWorkflowRunSummary', {
    description:
      'A run without its instructions, step definitions, limits, step results and decisions; `getRun` includes them.',
  });

export const DecisionBody = z.strictObject({
  note: z.string().max(2000).optional().describe('Note to the people and agents that work on the run.'),
  headSha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash')
    .optional()
    .openapi({ description: 'The reviewed commit. The request fails with 409 if the head has changed since.' }),
});

export const ArtifactView = Evidence.extend({
  id: z.string().describe('Id of the file, which `getArtifact` takes.'),
  step: z.string().optional().openapi({ description: 'The step that produced the file.' }),
  release: z.string().optional().openapi({ description: 'The Release in the screenshot.' }),
  zone: z.string().optional().openapi({ description: 'The zone in the screenshot.' }),
  failure: z.string().optional().openapi({ description: 'Why a placeholder replaces the screenshot.' }),
  url: z.string().openapi({ description: 'URL path of the file.' }),
}).openapi('Artifact');
