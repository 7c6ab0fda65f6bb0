import { z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, Evidence } from '../../src/rules/changes/kinds.ts';
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
