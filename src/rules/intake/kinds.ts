import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { defineResource } from '../resource.ts';

/** What an AgentWorkflow made of one event of the code host: a run, or the reason why there is none. */
export const DeliverySpec = z.strictObject({
  agentWorkflow: z.string(),
  /** The code host's id of the delivery. */
  delivery: z.string(),
  event: z.string(),
  repo: z.string(),
  number: z.int(),
  /** The label just added, where that is the event. */
  label: z.string().optional(),
  at: Timestamp,
  run: z.string().optional(),
  reason: z.string().optional(),
});
export const DeliveryKind = defineResource({
  kind: 'Delivery',
  plural: 'deliveries',
  spec: DeliverySpec,
  status: z.object({}),
  kubectl: {
    columns: [
      { name: 'Workflow', path: '.spec.agentWorkflow' },
      { name: 'Event', path: '.spec.event' },
      { name: 'Repo', path: '.spec.repo' },
      { name: 'Number', path: '.spec.number', type: 'integer' },
      { name: 'Run', path: '.spec.run' },
      { name: 'Reason', path: '.spec.reason', wide: true },
    ],
  },
});

/** On a Delivery: the AgentWorkflow it is of, to list by. */
export const agentWorkflowLabel = 'service.delivery/agent-workflow';
