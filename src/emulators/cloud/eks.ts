import { type AwsRequest, type AwsSessions, SignatureError } from './aws-sessions.ts';
import type { Answer } from './aws-sts.ts';
import type { CloudState, EksCluster } from './cloud-state.ts';

type Options = { state: CloudState; sessions: AwsSessions };

/** The EKS API: DescribeCluster. */
export class Eks {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async describe(name: string, request: AwsRequest): Promise<Answer> {
    const { state, sessions } = this.#options;
    try {
      const { account, arn, roleArn, region } = await sessions.verify(request, 'eks');
      const cluster = state.aws.find(({ id }) => id === account)?.clusters[name];
      if (cluster?.region !== region)
        return refuse(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`);
      const resource = `arn:aws:eks:${region}:${account}:cluster/${name}`;
      if (!cluster.viewers.includes(roleArn))
        return refuse(
          403,
          'AccessDeniedException',
          `User: ${arn} is not authorized to perform: eks:DescribeCluster on resource: ${resource}`,
        );
      return { status: 200, type: 'application/json', body: JSON.stringify({ cluster: toDescription(name, cluster) }) };
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      return refuse(403, error.code, error.message);
    }
  }
}

const toDescription = (name: string, { status, endpoint, caData }: EksCluster): object => ({
  name,
  status,
  ...(endpoint !== undefined && { endpoint }),
  ...(caData !== undefined && { certificateAuthority: { data: caData } }),
});

const refuse = (status: number, code: string, message: string): Answer => ({
  status,
  type: 'application/json',
  headers: { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/com.amazon.coral.service/` },
  body: JSON.stringify({ message }),
});
