import { z } from 'zod';
import { Timestamp } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource } from '../resource.ts';
import { ignoredReasons } from './ignored-reasons.ts';

/** Records what one code host event started for an AgentWorkflow: a run, or the reason why it started nothing. */
export const DeliverySpec = z.strictObject({
  agentWorkflow: z.string().describe('AgentWorkflow that the event concerns.'),
  deliveryId: z.string().describe('Id of the delivery at the code host.'),
  event: z.string().describe('Event of the code host, such as `issue.labeled` or `pull_request.synchronize`.'),
  repo: z.string().describe('Repo of the event.'),
  number: z.int().describe('Number of the issue or pull request.'),
  label: z.string().optional().describe('Label that the event added.'),
  at: Timestamp.describe('Time at which the delivery was received.'),
  run: z.string().optional().describe('Run that the event started.'),
  reason: z.enum(ignoredReasons).optional().describe('Machine-readable reason why the event started no run.'),
  message: z.string().optional().describe('Reason in words.'),
});
export const DeliveryKind = defineResource({
  kind: 'Delivery',
  plural: 'deliveries',
  spec: DeliverySpec,
  status: z.object({ conditions: Conditions }),
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
