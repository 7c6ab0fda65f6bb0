import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { defineResource } from '../resource.ts';
import { ignoredReasons } from './ignored-reasons.ts';

/** Records what one code host event started for an AgentWorkflow: a run, or the reason why it started nothing. */
export const DeliverySpec = z.strictObject({
  agentWorkflow: z.string(),
  /** The id of the delivery at the code host. */
  deliveryId: z.string(),
  event: z.string(),
  repo: z.string(),
  number: z.int(),
  /** The label that the event added. */
  label: z.string().optional(),
  at: Timestamp,
  run: z.string().optional(),
  reason: z.enum(ignoredReasons).optional(),
  message: z.string().optional(),
});
export const DeliveryKind = defineResource({
  kind: 'Delivery',
  plural: 'deliveries',
  spec: DeliverySpec,
  status: z.object({}),
  crd: {
    printerColumns: [
      { name: 'Workflow', path: '.spec.agentWorkflow' },
      { name: 'Event', path: '.spec.event' },
      { name: 'Repo', path: '.spec.repo' },
      { name: 'Number', path: '.spec.number', type: 'integer' },
      { name: 'Run', path: '.spec.run' },
      { name: 'Reason', path: '.spec.reason', wide: true },
    ],
  },
});

/** A label on a Delivery that names its AgentWorkflow, so that lists can select by it. */
export const agentWorkflowLabel = 'service.delivery/agent-workflow';
