import { z } from 'zod';
import type { AgentNetwork } from '../rules/network/agent-network-violation.ts';
import { type InsideDestination, parseInsideDestination } from '../rules/network/allowed-inside.ts';
import { httpUrlSchema, listSchema } from './schemas.ts';

const insideDestinationsSchema = listSchema.transform((entries, context) =>
  entries.flatMap((entry): InsideDestination[] => {
    const destination = parseInsideDestination(entry);
    if (destination) return [destination];
    context.addIssue({
      code: 'custom',
      message: `"${entry}" must be <host>, <host>:<port>, an address or a CIDR range`,
    });
    return [];
  }),
);

export const agentVariables = {
  MODEL_BASE_URL: httpUrlSchema.optional().describe('URL of an OpenAI-compatible model endpoint.'),
  MODEL_NAME: z.string().optional().describe('Model that MODEL_BASE_URL serves.'),
  MODEL_API_KEY: z.string().optional().describe('API key of MODEL_BASE_URL.'),
  SANDBOX: z
    .enum(['required', 'i-accept-that-agents-can-read-and-change-this-machine'])
    .default('required')
    .describe('Whether agents may run commands on a host without a sandbox.'),
  AGENT_NETWORK: z
    .enum(['never', 'public'])
    .default('never')
    .describe(
      'Whether commands of agents may reach public addresses, if the org and the AgentRole allow it too (ports 80 and 443).',
    ),
  ALLOWED_INSIDE_ADDRESSES: insideDestinationsSchema.describe(
    'Destinations inside the network that tenants may name, each as <host>, <host>:<port>, <address> or <CIDR>: for example a model server, a mirror of a registry or the API server of a workload cluster. All others must be public.',
  ),
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe('Browser for screenshots of zones (default: the first Chromium or Chrome on PATH).'),
};

export type AgentConfig = {
  model: { baseUrl: string; name: string; apiKey: string } | undefined;
  sandboxRequired: boolean;
  agentNetwork: AgentNetwork;
  allowedInside: readonly InsideDestination[];
  chromiumPath: string | undefined;
};

export const toAgentConfig = (env: z.infer<z.ZodObject<typeof agentVariables>>): AgentConfig => ({
  model: env.MODEL_BASE_URL
    ? { baseUrl: env.MODEL_BASE_URL, name: env.MODEL_NAME ?? 'default', apiKey: env.MODEL_API_KEY ?? '' }
    : undefined,
  sandboxRequired: env.SANDBOX === 'required',
  agentNetwork: env.AGENT_NETWORK,
  allowedInside: env.ALLOWED_INSIDE_ADDRESSES,
  chromiumPath: env.CHROMIUM_PATH,
});
