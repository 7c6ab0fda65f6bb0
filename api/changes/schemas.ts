import { z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, Evidence, RunSpec, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import { viewSchema } from '../http/views.ts';

const ProgressStageView = z
  .object({
    stage: z.enum(['issue', 'review', 'pull-request', 'approval', 'merged', 'release', 'zone']),
    label: z.string(),
    colour: z.enum(['green', 'blue', 'amber', 'red', 'grey']).openapi({
      description: 'Green is done, blue in progress, amber waiting for a person, red failed and grey not started.',
    }),
    detail: z.string().optional(),
    url: z.string().optional(),
    zone: z.string().optional(),
  })
  .openapi('ProgressStage');

const runFields = viewSchema(AgentWorkflowRunKind).extend({
  progress: z.array(ProgressStageView),
  release: z.string().optional(),
});
export const RunView = runFields.openapi('AgentWorkflowRun');

/** Extends the fields instead of `RunView`, which the document would demand as a whole. */
export const RunSummaryView = runFields
  .extend({
    spec: RunSpec.omit({ instructions: true, steps: true, roles: true, limits: true }),
    status: RunStatus.extend({ steps: z.array(StepStatus.pick({ name: true, phase: true })) }).optional(),
  })
  .openapi('AgentWorkflowRunSummary', {
    description: 'A run without its instructions, step definitions, limits and step results; `getRun` includes them.',
  });

export const DecisionBody = z.strictObject({
  note: z.string().max(2000).optional(),
  headSha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash')
    .optional()
    .openapi({ description: 'The reviewed commit. The request fails with 409 if the head has changed since.' }),
});

export const ArtifactView = Evidence.extend({
  id: z.string(),
  step: z.string().optional().openapi({ description: 'The step that produced the file.' }),
  release: z.string().optional().openapi({ description: 'The Release in the screenshot.' }),
  zone: z.string().optional().openapi({ description: 'The zone in the screenshot.' }),
  failure: z.string().optional().openapi({ description: 'Why a placeholder replaces the screenshot.' }),
  url: z.string().openapi({ description: 'URL path of the file.' }),
}).openapi('Artifact');
