import { AwsV4Signer } from 'aws4fetch';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';
import { RefusedByCloud, type SendToCloud, unreadable } from './cloud-request.ts';
import type { CloudSignIn } from './clouds.ts';
import { parseStsResponse, type StsResponse } from './sts-response.ts';

/** The shortest that STS gives. */
const durationSeconds = '900';
const form = 'application/x-www-form-urlencoded; charset=utf-8';

type Options = { send: SendToCloud; endpoint: string | undefined };
type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** Assumes the role with the token, and returns the ARN that STS reports for the credentials. */
export async function checkAws(
  { roleArn = '', region = '' }: CloudAccountSpec,
  { token, session }: CloudSignIn,
  { send, endpoint }: Options,
): Promise<string> {
  const url = toStsUrl(endpoint, region);
  const call = async (body: string, headers: Record<string, string>): Promise<StsResponse> => {
    const { status, text } = await send(url, { method: 'POST', headers, body });
    const read = parseStsResponse(text);
    if (!read) throw unreadable(url, status);
    if (status === 200) return read;
    const code = read('Code');
    if (code === undefined) throw unreadable(url, status);
    throw new RefusedByCloud(code, read('Message') ?? `STS refused the request (${status}).`);
  };
  const assumed = await call(
    toBody({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: roleArn,
      RoleSessionName: session,
      DurationSeconds: durationSeconds,
      WebIdentityToken: token,
    }),
    { 'content-type': form },
  );
  const credentials = readCredentials(assumed);
  if (!credentials) throw unreadable(url, 200);
  const body = toBody({ Action: 'GetCallerIdentity' });
  const headers = await sign(url, { body, region, credentials });
  const arn = (await call(body, headers))('Arn');
  if (arn === undefined) throw unreadable(url, 200);
  return arn;
}

/** Returns the regional endpoint, which works while another region is down. */
function toStsUrl(endpoint: string | undefined, region: string): string {
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const template = endpoint ?? `https://sts.{region}.amazonaws.com${suffix}`;
  return `${template.replace('{region}', region).replace(/\/$/, '')}/`;
}

const toBody = (parameters: Record<string, string>): string =>
  new URLSearchParams({ ...parameters, Version: '2011-06-15' }).toString();

function readCredentials(read: StsResponse): Credentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    read('AccessKeyId'),
    read('SecretAccessKey'),
    read('SessionToken'),
  ];
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}

async function sign(
  url: string,
  { body, region, credentials }: { body: string; region: string; credentials: Credentials },
): Promise<Record<string, string>> {
  const request = { method: 'POST', url, body, headers: { 'content-type': form } };
  const { headers } = await new AwsV4Signer({ ...request, ...credentials, service: 'sts', region }).sign();
  return Object.fromEntries(headers);
}
