import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

export const cloudProviders = ['aws', 'google'] as const;

/** The fields that an account has at each provider. */
export const providerFields = {
  aws: ['roleArn', 'region'],
  google: ['workloadIdentityProvider', 'serviceAccount'],
} as const;

const CloudAccountFields = z.strictObject({
  provider: z.enum(cloudProviders).describe('Cloud of the account: `aws` or `google`.'),
  roleArn: z
    .string()
    .max(600)
    .regex(
      /^arn:aws(-cn|-us-gov)?:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
      'must be the ARN of a role, such as arn:aws:iam::123456789012:role/delivery',
    )
    .optional()
    .describe('ARN of the role to assume. Required for `aws`.'),
  region: z
    .string()
    .max(40)
    .regex(/^[a-z]{2,3}(-[a-z]{2,12}){1,3}-\d{1,2}$/, 'must be a region such as eu-central-1')
    .optional()
    .describe('Region whose STS is asked. Required for `aws`.'),
  workloadIdentityProvider: z
    .string()
    .max(300)
    .regex(
      /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
      'must be projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>',
    )
    .optional()
    .describe('Full name of the provider in a workload identity pool. Required for `google`.'),
  serviceAccount: z
    .string()
    .max(200)
    .regex(
      /^[a-z0-9][a-z0-9-]{2,62}@([a-z0-9-]{1,63}\.){1,5}gserviceaccount\.com$/,
      'must be a service account such as delivery@my-project.iam.gserviceaccount.com',
    )
    .optional()
    .describe('Service account to act as. Required for `google`.'),
});

export const CloudAccountSpec = CloudAccountFields.superRefine((spec, context) => {
  for (const { path, message } of listFieldViolations(spec))
    context.addIssue({ code: 'custom', path: [path], message });
});
export type CloudAccountSpec = z.infer<typeof CloudAccountSpec>;

export const CloudCheck = z.object({
  result: z.enum(['works', 'refused']).describe('Whether the provider accepted the token and gave an identity.'),
  identity: z
    .string()
    .optional()
    .describe('Identity that the service has there: the ARN of the assumed role or the service account.'),
  code: z.string().optional().describe('Code of the provider’s error; absent if the account works.'),
  message: z.string().describe('What the provider said, in words.'),
  fix: z.string().optional().describe('What to change; absent if the account works.'),
  generation: z.int().describe('Generation of the spec that was checked; an older one says nothing about the current.'),
  at: Timestamp.describe('Time of the check.'),
});
export type CloudCheck = z.infer<typeof CloudCheck>;

/** An account at a cloud that trusts the identity of this installation. It holds no secret. */
export const CloudAccountKind = defineResource({
  kind: 'CloudAccount',
  plural: 'cloudaccounts',
  spec: CloudAccountSpec,
  status: z.object({
    lastCheck: CloudCheck.optional().describe('Result of the last check.'),
    conditions: Conditions,
  }),
  crd: {
    printerColumns: [
      { name: 'Provider', path: '.spec.provider' },
      { name: 'Result', path: '.status.lastCheck.result' },
      { name: 'Identity', path: '.status.lastCheck.identity' },
      { name: 'Checked', path: '.status.lastCheck.at', type: 'date' },
      { name: 'Message', path: '.status.lastCheck.message', wide: true },
    ],
  },
});
export type CloudAccount = ResourceOf<typeof CloudAccountKind>;

/** The number of accounts of one org. */
export const cloudAccountsMax = 20;

type Violation = { path: string; message: string };

/** Lists the fields that the provider lacks, and those that it does not have, which would have no effect. */
function listFieldViolations(spec: z.infer<typeof CloudAccountFields>): Violation[] {
  const own: readonly string[] = providerFields[spec.provider];
  const all = Object.values(providerFields).flat();
  const violations = all.flatMap((path): Violation[] => {
    if (own.includes(path) && spec[path] === undefined) return [{ path, message: 'is missing' }];
    if (!own.includes(path) && spec[path] !== undefined)
      return [{ path, message: `does not apply to the provider "${spec.provider}"` }];
    return [];
  });
  return [...violations, ...listPartitionViolations(spec)];
}

/** A role exists in one AWS partition, and STS of another partition does not know it. */
function listPartitionViolations({ roleArn, region }: Pick<z.infer<typeof CloudAccountFields>, 'roleArn' | 'region'>) {
  const partition = /^arn:(aws[a-z-]*):/.exec(roleArn ?? '')?.[1];
  if (partition === undefined || region === undefined) return [];
  const expected = toPartition(region);
  if (partition === expected) return [];
  return [{ path: 'region', message: `is in the partition "${expected}", and the role is in "${partition}"` }];
}

function toPartition(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
