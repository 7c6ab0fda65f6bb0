/** A trust policy of a role, as IAM stores it. */
export type TrustPolicy = {
  Statement: {
    Effect: 'Allow' | 'Deny';
    Principal: { Federated?: string };
    Action: string | string[];
    Condition?: { StringEquals?: Record<string, string | string[]> };
  }[];
};

/** The address of a cluster, and the authority of its certificate: PEM in base64. A new cluster has no address. */
type ClusterAddress = { status: string; endpoint?: string; caData?: string };

/** An EKS cluster. */
export type EksCluster = ClusterAddress & {
  region: string;
  /** The ARNs of the roles that have eks:DescribeCluster. */
  viewers: string[];
  /** The Kubernetes groups that access entries give to roles. */
  accessEntries: Record<string, string[]>;
};

/** A GKE cluster; its endpoint is a host without a scheme. */
export type GkeCluster = ClusterAddress & {
  /** The DNS endpoint, if traffic from outside is allowed over it. */
  dnsEndpoint?: string;
  /** The service accounts that have container.clusters.get. */
  viewers: string[];
};

/** The OpenID Connect providers, the roles and the clusters of an AWS account. */
export type AwsAccount = {
  id: string;
  oidcProviders: { url: string; clientIds: string[] }[];
  /** Trust policies by the ARN of the role. */
  roles: Record<string, TrustPolicy>;
  /** Clusters by name. */
  clusters: Record<string, EksCluster>;
};

/** A provider in a Google Cloud workload identity pool. */
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
  /** Clusters by `projects/<project>/locations/<location>/clusters/<name>`. */
  clusters: Record<string, GkeCluster>;
};

/** Accounts that a test or a person has set up. They can change at any time. */
export type CloudState = { aws: AwsAccount[]; google: GoogleCloud };
