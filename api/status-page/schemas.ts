import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import { objectiveStates } from '../../src/rules/status-page/to-objective-states.ts';
import { zoneStates } from '../../src/rules/status-page/zone-states.ts';

const State = z.enum(zoneStates);

const HistoryDay = z.object({
  date: z.iso.date().describe('Day in UTC.'),
  state: State.describe('Worst state of the zone on the day.'),
});

const Objective = z.object({
  name: z.string().describe('Name of the SLO.'),
  objective: z.string().describe('Percentage of good requests that the SLO promises.'),
  state: z
    .enum(objectiveStates)
    .describe(
      'State of the SLO: `spent` if the objective is missed, `no-traffic` without requests, and `unknown` if it is not measured.',
    ),
  attainment: z.number().optional().describe('Share of good requests in the window of the SLO, from 0 to 1.'),
});

const Zone = z.object({
  name: z.string().describe('Name of the zone.'),
  address: z.string().optional().describe('URL of the zone; absent if not everyone can open it.'),
  state: State.describe('State of the zone now.'),
  objectives: z.array(Objective).describe('SLOs that measure the zone.'),
  history: z.array(HistoryDay).describe('The last 90 days, oldest first.'),
});

const Incident = z.object({
  title: z.string().describe('What is wrong; a general phrase until a person has written a public note.'),
  impact: z.enum(['down', 'degraded', 'none']).describe('Effect of the incident on its zones.'),
  zones: z.array(z.string()).describe('Zones that the incident affects.'),
  openedAt: Timestamp.describe('Time at which the incident opened.'),
  resolvedAt: Timestamp.optional().describe('Time of the resolution; absent while the incident is open.'),
  updates: z
    .array(
      z.object({
        at: Timestamp.describe('Time of the update.'),
        text: z.string().describe('Public note, or a general phrase.'),
      }),
    )
    .describe('Latest updates, newest first.'),
});

export const StatusPageView = z
  .object({
    org: z.string().describe('Name of the org.'),
    product: z.string().describe('Name of the Product.'),
    title: z.string().describe('Display name of the Product.'),
    state: State.describe('Worst state of the zones.'),
    asOf: Timestamp.describe('Time at which the service read this. It is older while the store is unavailable.'),
    zones: z.array(Zone).describe('Zones on the status page, in promotion order.'),
    incidents: z.array(Incident).describe('Open incidents, then those that were resolved in the last 14 days.'),
  })
  .openapi('StatusPage');
