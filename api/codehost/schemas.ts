import { z } from '@hono/zod-openapi';

const CodehostFinding = z.object({
  subject: z.enum(['gitops-repo']).describe('Part that was checked.'),
  name: z.string().describe('Repo that was checked.'),
  result: z.enum(['ok', 'warning']).describe('`warning` if the service cannot use it yet.'),
  message: z.string().describe('What the check found, in words.'),
  fix: z.string().optional().describe('What to do; absent if the result is `ok`.'),
});
export type CodehostFinding = z.infer<typeof CodehostFinding>;

export const ConnectionView = z
  .object({
    connected: z.boolean().describe('Whether the org is connected.'),
    slug: z.string().optional().describe('Name of the org’s app at the code host.'),
    url: z.string().optional().describe('URL of the org’s app at the code host.'),
    gitopsRepo: z.string().describe('Repo that the service writes the state of all zones to.'),
    findings: z
      .array(CodehostFinding)
      .optional()
      .describe('What the code host answered; only with `check=true`, of an org that is connected.'),
  })
  .openapi('CodehostConnection');
