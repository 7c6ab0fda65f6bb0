import { z } from 'zod';
import { flagSchema, httpUrlSchema, wholeNumberSchema } from './schemas.ts';

export const codehostVariables = {
  CODEHOST_URL: httpUrlSchema.default('https://github.com').describe('Web URL of the code host.'),
  CODEHOST_API_URL: httpUrlSchema.default('https://api.github.com').describe('REST API URL of the code host.'),
  CODEHOST_MANIFEST_TOKEN: z
    .string()
    .optional()
    .describe('Token for the conversion of app manifests, only for a code host that demands one. GitHub does not.'),
  CODEHOST_THROTTLE: flagSchema
    .default(true)
    .describe('Space out writes to the code host. Set false only for a code host without rate limits.'),
  WEBHOOK_BODY_MIB: wholeNumberSchema(1, 25)
    .default(5)
    .describe('Largest webhook body in MiB. Code hosts send up to 25, but events that start runs are much smaller.'),
  WEBHOOK_UNVERIFIED_MIB: wholeNumberSchema(32, 4096)
    .default(64)
    .describe('Memory in MiB that a process spends on webhook bodies whose signature is not verified yet.'),
};

export type CodehostConfig = {
  codehost: { url: string; apiUrl: string; throttle: boolean; manifestToken: string | undefined };
  webhooks: { bodyBytesMax: number; unverifiedBytesMax: number };
};

const bytesPerMiB = 1024 * 1024;

export const toCodehostConfig = (env: z.infer<z.ZodObject<typeof codehostVariables>>): CodehostConfig => ({
  codehost: {
    url: env.CODEHOST_URL,
    apiUrl: env.CODEHOST_API_URL,
    throttle: env.CODEHOST_THROTTLE,
    manifestToken: env.CODEHOST_MANIFEST_TOKEN,
  },
  webhooks: {
    bodyBytesMax: env.WEBHOOK_BODY_MIB * bytesPerMiB,
    unverifiedBytesMax: env.WEBHOOK_UNVERIFIED_MIB * bytesPerMiB,
  },
});
