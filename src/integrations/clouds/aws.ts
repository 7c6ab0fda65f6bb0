import { AwsV4Signer } from 'aws4fetch';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { RefusedByCloud, type SendToCloud, unreadable } from './cloud-request.ts';
import type { CloudSignIn } from './clouds.ts';
import { parseStsResponse, type StsResponse } from './sts-response.ts';

/** The shortest session that STS allows. */
export const sessionSeconds = 900;
const form = 'application/x-www-form-urlencoded; charset=utf-8';

export type AwsOptions = { send: SendToCloud; sts: string | undefined };
export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** Assumes the role with the token, and returns the ARN that STS reports for the credentials. */
export async function checkAws(account: CloudAccountSpec, signIn: CloudSignIn, options: AwsOptions): Promise<string> {
  const { region = '' } = account;
  const url = toStsUrl(options.sts, region);
  const credentials = await assumeRole(account, signIn, options);
  const body = toForm({ Action: 'GetCallerIdentity' });
  const request = { method: 'POST', url, body, headers: { 'content-type': form } };
  const { headers } = await new AwsV4Signer({ ...request, ...credentials, service: 'sts', region }).sign();
  const arn = (await callSts(options.send, url, { body, headers: Object.fromEntries(headers) }))('Arn');
  if (arn === undefined) throw unreadable(url, 200);
  return arn;
}

/** Exchanges the token for credentials of the role. */
export async function assumeRole(
  { roleArn = '', region = '' }: CloudAccountSpec,
  { token, session }: CloudSignIn,
  { send, sts }: AwsOptions,
): Promise<AwsCredentials> {
  const url = toStsUrl(sts, region);
  const body = toForm({
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: roleArn,
    RoleSessionName: session,
    DurationSeconds: String(sessionSeconds),
    WebIdentityToken: token,
  });
  const credentials = readCredentials(await callSts(send, url, { body, headers: { 'content-type': form } }));
  if (!credentials) throw unreadable(url, 200);
  return credentials;
}

export const toStsUrl = (endpoint: string | undefined, region: string): string =>
  toRegionalUrl('sts', endpoint, region);

/** Returns the regional endpoint of a service, which works while another region is down. */
export function toRegionalUrl(service: string, endpoint: string | undefined, region: string): string {
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const template = endpoint ?? `https://${service}.{region}.amazonaws.com${suffix}`;
  return `${template.replace('{region}', region).replace(/\/$/, '')}/`;
}

async function callSts(
  send: SendToCloud,
  url: string,
  request: { body: string; headers: Record<string, string> },
): Promise<StsResponse> {
  const { status, text } = await send(url, { method: 'POST', ...request });
  const read = parseStsResponse(text);
  if (!read) throw unreadable(url, status);
  if (status === 200) return read;
  const code = read('Code');
  if (code === undefined) throw unreadable(url, status);
  throw new RefusedByCloud(code, read('Message') ?? `STS refused the request (${status}).`);
}

const toForm = (parameters: Record<string, string>): string =>
  new URLSearchParams({ ...parameters, Version: '2011-06-15' }).toString();

function readCredentials(read: StsResponse): AwsCredentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    read('AccessKeyId'),
    read('SecretAccessKey'),
    read('SessionToken'),
  ];
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}
