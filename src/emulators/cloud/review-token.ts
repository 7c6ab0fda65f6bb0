import type { CloudState } from './cloud-state.ts';
import type { GoogleSts } from './google-sts.ts';

type Review = { authenticated: boolean; user?: { username: string; groups: string[] } };
type Options = { state: CloudState; tokens: GoogleSts; stsUrl: string };

const eksPrefix = 'k8s-aws-v1.';
const refused: Review = { authenticated: false };

/**
 * Judges a token as EKS and GKE API servers do. An EKS token is a signed STS request that the cluster sends with its
 * own name in a header; a GKE token is a Google access token.
 */
export async function reviewToken(token: string, cluster: string, { state, tokens, stsUrl }: Options): Promise<Review> {
  if (!token.startsWith(eksPrefix)) {
    const email = tokens.findAccount(token);
    return email === undefined ? refused : { authenticated: true, user: { username: email, groups: [] } };
  }
  const url = URL.parse(Buffer.from(token.slice(eksPrefix.length), 'base64url').toString());
  // Another host or action could say anything.
  const isOfSts = url?.origin === stsUrl && url.searchParams.get('Action') === 'GetCallerIdentity';
  const signsName = url?.searchParams.get('X-Amz-SignedHeaders')?.split(';').includes('x-k8s-aws-id');
  if (!url || !isOfSts || !signsName || Number(url.searchParams.get('X-Amz-Expires')) > 900) return refused;
  const response = await fetch(url, { headers: { 'x-k8s-aws-id': cluster }, redirect: 'error' });
  const [, arn = ''] = /<Arn>([^<]+)<\/Arn>/.exec(await response.text()) ?? [];
  const [, account = '', role = ''] = /^arn:aws:sts::(\d+):assumed-role\/([^/]+)\//.exec(arn) ?? [];
  if (!response.ok || account === '') return refused;
  const entries = state.aws.find(({ id }) => id === account)?.clusters[cluster]?.accessEntries ?? {};
  const groups = Object.entries(entries).find(([roleArn]) => roleArn.endsWith(`/${role}`))?.[1];
  return groups ? { authenticated: true, user: { username: arn, groups } } : refused;
}
