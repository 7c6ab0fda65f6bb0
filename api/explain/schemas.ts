import { z } from '@hono/zod-openapi';
import { explanationStates } from '../../src/rules/explain/explanation.ts';

export const ExplanationView = z
  .object({
    about: z.string().describe('What is explained.'),
    items: z
      .array(
        z.object({
          state: z.enum(explanationStates).describe('`nothing` if nothing was started, and nothing will be.'),
          rule: z.string().describe('Machine-readable name of the rule that decided; new rules may be added.'),
          message: z.string().describe('What the rule decided.'),
          facts: z
            .array(
              z.object({ name: z.string().describe('Name of the fact.'), value: z.string().describe('Its value.') }),
            )
            .describe('What the rule judged.'),
          fix: z.string().optional().describe('What a person can do to change it; absent if nothing needs to be done.'),
          links: z
            .array(
              z.object({
                title: z.string().describe('Title of the link.'),
                url: z.string().describe('URL, or the path of a page of the web UI.'),
              }),
            )
            .describe('Where to read more.'),
        }),
      )
      .describe('Explanations, the most important first: at most 20.'),
  })
  .openapi('Explanation');
export type ExplanationView = z.infer<typeof ExplanationView>;
