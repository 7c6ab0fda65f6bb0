import { z } from 'zod';
import { httpUrlSchema } from './schemas.ts';

const regionalUrl = (service: string) =>
  z
    .string()
    .regex(/^https?:\/\/[^/?#@]+$/, 'must be an http or https URL without a path')
    .optional()
    .describe(
      `URL of ${service}, such as a private endpoint, with {region} for the region of an account (default: the public endpoint of the region). ALLOWED_INSIDE_ADDRESSES must list it if it is inside the network.`,
    );

export const cloudVariables = {
  CLOUD_AWS_STS_URL: regionalUrl('AWS STS'),
  CLOUD_AWS_EKS_URL: regionalUrl('AWS EKS'),
  CLOUD_GOOGLE_STS_URL: httpUrlSchema
    .default('https://sts.googleapis.com')
    .describe('URL of the Security Token Service of Google Cloud, such as a private endpoint.'),
  CLOUD_GOOGLE_IAM_URL: httpUrlSchema
    .default('https://iamcredentials.googleapis.com')
    .describe('URL of the IAM Service Account Credentials API of Google Cloud, such as a private endpoint.'),
  CLOUD_GOOGLE_CONTAINER_URL: httpUrlSchema
    .default('https://container.googleapis.com')
    .describe('URL of the Kubernetes Engine API of Google Cloud, such as a private endpoint.'),
};

export type CloudConfig = {
  /** The servers of clouds, which exchange tokens of the installation for credentials, and know clusters. */
  cloudEndpoints: {
    awsSts: string | undefined;
    awsEks: string | undefined;
    googleSts: string;
    googleIam: string;
    googleContainer: string;
  };
};

export const toCloudConfig = (env: z.infer<z.ZodObject<typeof cloudVariables>>): CloudConfig => ({
  cloudEndpoints: {
    awsSts: env.CLOUD_AWS_STS_URL,
    awsEks: env.CLOUD_AWS_EKS_URL,
    googleSts: env.CLOUD_GOOGLE_STS_URL,
    googleIam: env.CLOUD_GOOGLE_IAM_URL,
    googleContainer: env.CLOUD_GOOGLE_CONTAINER_URL,
  },
});
