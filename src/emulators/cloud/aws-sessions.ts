import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';

export type AwsSession = {
  secretAccessKey: string;
  sessionToken: string;
  /** The assumed role: `arn:aws:sts::<account>:assumed-role/<role>/<session>`. */
  arn: string;
  roleArn: string;
  account: string;
  expiresAtMs: number;
};
export type AwsRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: string };

/** A request that is not signed as the service demands, with the AWS error code. */
export class SignatureError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Signature = { accessKeyId: string; region: string; service: string; signedHeaders: string[]; datetime: string };

const lifetimeMs = 900_000;
const invalidToken = ['InvalidClientTokenId', 'The security token included in the request is invalid.'] as const;

/** The credentials that STS has given, by which AWS services verify signatures of version 4. */
export class AwsSessions {
  readonly #sessions = new Map<string, AwsSession>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  open(identity: Pick<AwsSession, 'arn' | 'roleArn' | 'account'>): { accessKeyId: string } & AwsSession {
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const [secretAccessKey, sessionToken] = [randomBytes(30).toString('base64'), randomBytes(90).toString('base64')];
    const session = { ...identity, secretAccessKey, sessionToken, expiresAtMs: this.#now().getTime() + lifetimeMs };
    this.#sessions.set(accessKeyId, session);
    return { accessKeyId, ...session };
  }

  /** Signs the request again with the secret of its session, and compares. */
  async verify(request: AwsRequest, service: string): Promise<AwsSession & { region: string }> {
    const { url, headers } = request;
    const isPresigned = url.searchParams.has('X-Amz-Signature');
    const signature = isPresigned ? readQuery(url.searchParams) : readHeaders(headers);
    const session = this.#sessions.get(signature?.accessKeyId ?? '');
    const token = isPresigned ? url.searchParams.get('X-Amz-Security-Token') : headers['x-amz-security-token'];
    if (!signature || !session || signature.service !== service || token !== session.sessionToken)
      throw new SignatureError(...invalidToken);
    const nowMs = this.#now().getTime();
    if (session.expiresAtMs <= nowMs)
      throw new SignatureError('ExpiredToken', 'The security token included in the request is expired');
    if (isPresigned && Math.abs(nowMs - toTimeMs(signature.datetime)) > lifetimeMs)
      throw new SignatureError('SignatureDoesNotMatch', 'Signature expired');
    const signed = await signAgain(request, { signature, session, isPresigned });
    const given = isPresigned ? url.searchParams.get('X-Amz-Signature') : headers.authorization;
    if (given !== signed)
      throw new SignatureError('SignatureDoesNotMatch', 'The request signature we calculated does not match.');
    return { ...session, region: signature.region };
  }
}

const addedBySigner = ['host', 'x-amz-date', 'x-amz-security-token'];
const queryOfSigner = ['Date', 'Security-Token', 'Algorithm', 'Credential', 'SignedHeaders', 'Signature'];

async function signAgain(
  { method, url, headers, body }: AwsRequest,
  { signature, session, isPresigned }: { signature: Signature; session: AwsSession; isPresigned: boolean },
): Promise<string | null> {
  const bare = new URL(url);
  for (const name of queryOfSigner) bare.searchParams.delete(`X-Amz-${name}`);
  const signedHeaders = signature.signedHeaders.filter((name) => !addedBySigner.includes(name));
  const { secretAccessKey, sessionToken } = session;
  const signed = await new AwsV4Signer({
    method,
    url: bare.href,
    headers: Object.fromEntries(signedHeaders.map((name) => [name, String(headers[name] ?? '')])),
    ...(body !== '' && { body }),
    ...signature,
    secretAccessKey,
    sessionToken,
    signQuery: isPresigned,
  }).sign();
  return isPresigned ? signed.url.searchParams.get('X-Amz-Signature') : signed.headers.get('authorization');
}

function readHeaders({ authorization = '', ...headers }: IncomingHttpHeaders): Signature | undefined {
  const [, credential = '', signedHeaders = ''] = /Credential=(\S+?), SignedHeaders=(\S+?),/.exec(authorization) ?? [];
  return toSignature(credential, signedHeaders, String(headers['x-amz-date']));
}

const readQuery = (query: URLSearchParams): Signature | undefined =>
  toSignature(
    query.get('X-Amz-Credential') ?? '',
    query.get('X-Amz-SignedHeaders') ?? '',
    query.get('X-Amz-Date') ?? '',
  );

function toSignature(credential: string, signedHeaders: string, datetime: string): Signature | undefined {
  const [accessKeyId, , region, service] = credential.split('/');
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service, signedHeaders: signedHeaders.split(';'), datetime };
}

/** Reads a time such as `20261126T230513Z`. */
const toTimeMs = (datetime: string): number =>
  Date.parse(datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
