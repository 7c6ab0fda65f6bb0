/** Returns the trust policy of an AWS role that lets the service assume it for one org. */
export function toTrustPolicy({
  issuer,
  audience,
  subject,
  roleArn,
}: Record<'issuer' | 'audience' | 'subject' | 'roleArn', string>): string {
  const provider = issuer.replace(/^https?:\/\//, '');
  const [, partition = 'aws', account = 'ACCOUNT_ID'] = /^arn:(aws[a-z-]*):iam::(\d{12}):/.exec(roleArn.trim()) ?? [];
  const policy = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:${partition}:iam::${account}:oidc-provider/${provider}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${provider}:aud`]: audience, [`${provider}:sub`]: subject } },
      },
    ],
  };
  return JSON.stringify(policy, null, 2);
}
