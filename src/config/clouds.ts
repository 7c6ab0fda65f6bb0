import { z } from 'zod';
import { httpUrlSchema } from './schemas.ts';

export const cloudVariables = {
  CLOUD_AWS_STS_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#@]+$/, 'must be an http or https URL without a path')
    .optional()
    .describe(
      'URL of AWS STS, such as a private endpoint, with {region} for the region of an account (default: the public endpoint of the region). ALLOWED_INSIDE_ADDRESSES must list it if it is inside the network.',
    ),
  CLOUD_GOOGLE_STS_URL: httpUrlSchema
    .default('https://sts.googleapis.com')
    .describe('URL of the Security Token Service of Google Cloud, such as a private endpoint.'),
  CLOUD_GOOGLE_IAM_URL: httpUrlSchema
    .default('https://iamcredentials.googleapis.com')
    .describe('URL of the IAM Service Account Credentials API of Google Cloud, such as a private endpoint.'),
};

export type CloudConfig = {
  /** The servers that exchange tokens of the installation for credentials of clouds. */
  cloudEndpoints: { awsSts: string | undefined; googleSts: string; googleIam: string };
};

export const toCloudConfig = (env: z.infer<z.ZodObject<typeof cloudVariables>>): CloudConfig => ({
  cloudEndpoints: {
    awsSts: env.CLOUD_AWS_STS_URL,
    googleSts: env.CLOUD_GOOGLE_STS_URL.replace(/\/$/, ''),
    googleIam: env.CLOUD_GOOGLE_IAM_URL.replace(/\/$/, ''),
  },
});
