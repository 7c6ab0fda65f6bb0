import { z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, Evidence, RunSpec, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import { viewSchema } from '../views.ts';

const StripStageView = z
  .object({
    stage: z.enum(['issue', 'review', 'pull-request', 'approval', 'merged', 'release', 'zone']),
    label: z.string(),
    colour: z
      .enum(['green', 'blue', 'amber', 'red', 'grey'])
      .openapi({ description: 'Done, working, waiting on a person, failed, not started.' }),
    detail: z.string().optional(),
    url: z.string().optional(),
    zone: z.string().optional(),
  })
  .openapi('ChangeStripStage');

export const RunView = viewSchema(AgentWorkflowRunKind)
  .extend({ strip: z.array(StripStageView), release: z.string().optional() })
  .openapi('AgentWorkflowRun');

export const RunItem = RunView.extend({
  spec: RunSpec.omit({ instructions: true, steps: true, roles: true, limits: true }),
  status: RunStatus.extend({ steps: z.array(StepStatus.pick({ name: true, phase: true })) }).optional(),
}).openapi('AgentWorkflowRunItem', {
  description: 'How far a run is. What its agents were told and what came of each step is in the run itself.',
});

export const DecisionBody = z.strictObject({
  note: z.string().max(2000).optional(),
  headSha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash')
    .optional()
    .openapi({ description: 'The commit you looked at: another head is then not approved by mistake.' }),
});

export const ArtifactView = Evidence.extend({
  id: z.string(),
  step: z.string().optional().openapi({ description: 'The step that left it.' }),
  release: z.string().optional().openapi({ description: 'The Release that it shows.' }),
  zone: z.string().optional().openapi({ description: 'Where it shows the Release.' }),
  failure: z.string().optional().openapi({ description: 'Why a placeholder stands in the picture’s place.' }),
  url: z.string().openapi({ description: 'Where the file itself is, on this host.' }),
}).openapi('Artifact');
