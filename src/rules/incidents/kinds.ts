import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

export const incidentSeverities = ['critical', 'warning', 'info'] as const;
export const IncidentSeverity = z.enum(incidentSeverities);
export type IncidentSeverity = z.infer<typeof IncidentSeverity>;

export const incidentStates = ['Open', 'Acknowledged', 'Resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** With the bound of the timeline it keeps an incident far below the size that a cluster can store. */
export const noteLengthMax = 2000;

export const IncidentSpec = z.strictObject({
  product: z.string().describe('Product that the incident affects.'),
  zone: z.string().optional().describe('Zone that the incident affects; absent if it does not affect a single zone.'),
  severity: IncidentSeverity.describe('Severity of the incident.'),
  title: z.string().min(1).max(200).describe('What is wrong, in a few words.'),
  text: z.string().max(noteLengthMax).optional().describe('What is wrong, in detail.'),
  openedBy: z.string().describe('E-mail address of the person who opened the incident, or `alert`.'),
  alert: z
    .strictObject({
      name: z.string().describe('Name of the alert.'),
      fingerprint: z.string().describe('Fingerprint of the alert’s labels, which is the same in each episode.'),
      startsAt: Timestamp.describe('Time at which this episode of the alert began.'),
      slo: z.string().optional().describe('SLO that the alert belongs to.'),
      ruleUrl: z.string().optional().describe('URL of the rule in Prometheus.'),
    })
    .optional()
    .describe('Alert that opened the incident; absent if a person opened it.'),
});
export type IncidentSpec = z.infer<typeof IncidentSpec>;

export const IncidentEvent = z.object({
  type: z.enum(['opened', 'acknowledged', 'note', 'alert-cleared', 'resolved', 'reopened']).describe('What happened.'),
  at: Timestamp.describe('Time of the event.'),
  by: z.string().describe('E-mail address of the person, or `alert`.'),
  text: z.string().max(noteLengthMax).optional().describe('The note, or what fixed the incident.'),
  public: z.boolean().optional().describe('Whether the text appears on the status page.'),
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;

export const IncidentStatus = z.object({
  state: z.enum(incidentStates).describe('State of the incident.'),
  openedAt: Timestamp.describe('Time at which the incident opened.'),
  acknowledgedAt: Timestamp.optional().describe('Time of the first acknowledgement since the incident last opened.'),
  acknowledgedBy: z.string().optional().describe('E-mail address of the person who acknowledged it first.'),
  resolvedAt: Timestamp.optional().describe('Time of the last resolution; absent while the incident is not resolved.'),
  resolvedBy: z.string().optional().describe('E-mail address of the person who resolved it, or `alert`.'),
  episode: z
    .object({
      startsAt: Timestamp.describe('Time at which the alert last began to fire.'),
      clearedAt: Timestamp.optional().describe('Time at which it cleared; absent while it fires.'),
    })
    .optional()
    .describe('Latest episode of the alert; absent if a person opened the incident.'),
  timeline: z.array(IncidentEvent).describe('Events of the incident, oldest first.'),
  promotion: z
    .object({
      name: z.string().describe('Name of the Promotion.'),
      release: z.string().describe('Name of the Release.'),
      version: z.string().describe('Version of the Release.'),
      healthyAt: Timestamp.describe('Time at which the Release became healthy in the zone.'),
    })
    .optional()
    .describe(
      'Last Promotion that became healthy in the zone within 24 hours before the incident opened, which counts as its cause.',
    ),
  conditions: Conditions,
});
export type IncidentStatus = z.infer<typeof IncidentStatus>;

/** Something that is wrong with a Product: one episode of an alert, or what a person reported. */
export const IncidentKind = defineResource({
  kind: 'Incident',
  plural: 'incidents',
  spec: IncidentSpec,
  status: IncidentStatus,
  selectableFields: ['spec.product', 'spec.zone', 'spec.alert.fingerprint'],
  crd: {
    printerColumns: [
      { name: 'Product', path: '.spec.product' },
      { name: 'Zone', path: '.spec.zone' },
      { name: 'Severity', path: '.spec.severity' },
      { name: 'State', path: '.status.state' },
      { name: 'Title', path: '.spec.title' },
      { name: 'Opened', path: '.status.openedAt', type: 'date' },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; add a note instead' }],
  },
});
export type Incident = ResourceOf<typeof IncidentKind>;
