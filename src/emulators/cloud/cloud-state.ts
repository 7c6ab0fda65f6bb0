/** A trust policy of a role, as IAM stores it. */
export type TrustPolicy = {
  Statement: {
    Effect: 'Allow' | 'Deny';
    Principal: { Federated?: string };
    Action: string | string[];
    Condition?: { StringEquals?: Record<string, string | string[]> };
  }[];
};

/** The OpenID Connect providers and the roles of an account of AWS. */
export type AwsAccount = {
  id: string;
  oidcProviders: { url: string; clientIds: string[] }[];
  /** Trust policies by the ARN of the role. */
  roles: Record<string, TrustPolicy>;
};

/** A provider in a workload identity pool of Google Cloud. */
export type WorkloadIdentityProvider = {
  /** `projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>` */
  name: string;
  issuer: string;
  /** Replaces the default audience, which is the full name. */
  allowedAudiences?: string[];
  /** The only form that is evaluated: `assertion.sub == '<subject>'`. */
  attributeCondition?: string;
};

export type GoogleCloud = {
  providers: WorkloadIdentityProvider[];
  /** The members with roles/iam.workloadIdentityUser, by service account. */
  serviceAccounts: Record<string, string[]>;
};

/** Accounts that a test or a person has set up. They can change at any time. */
export type CloudState = { aws: AwsAccount[]; google: GoogleCloud };
