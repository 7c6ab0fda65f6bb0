import { z } from '@hono/zod-openapi';

export const foundKinds = ['product', 'zone', 'issue', 'run', 'release', 'incident', 'domain'] as const;

export const FoundItemView = z
  .object({
    kind: z.enum(foundKinds).describe('Kind of what was found.'),
    org: z.string().describe('Name of the org.'),
    product: z.string().optional().describe('Product of the zone, the issue, the run, the Release or the incident.'),
    name: z.string().describe('Name of the resource; of an issue, `<owner>/<repo>#<number>`.'),
    title: z.string().describe('Title of the issue or the incident, or display name.'),
    note: z.string().optional().describe('Issue, version, zone or host, which tells similar titles apart.'),
    phase: z.string().optional().describe('Phase of the run or the Release, or state of the incident or the domain.'),
    path: z.string().describe('Path of the page in the web UI.'),
  })
  .openapi('FoundItem');
export type FoundItemView = z.infer<typeof FoundItemView>;
