import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';
import type { AwsAccount, CloudState } from './cloud-state.ts';
import { TokenError, type TokenFault, type TokenVerifier } from './token-verifier.ts';
import { isTrusted } from './trust-policy.ts';

export type Answer = { status: number; type: string; body: string };
type Session = { secretAccessKey: string; sessionToken: string; arn: string; account: string; expiresAtMs: number };
type Options = { state: CloudState; verifier: TokenVerifier; now: () => Date };
type Call = { parameters: URLSearchParams; body: string; headers: IncomingHttpHeaders };

/** A refusal of STS, with its code. */
class StsError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const faults: Record<TokenFault, [code: string, message: string]> = {
  malformed: ['InvalidIdentityToken', 'The ID Token provided is not a valid JWT.'],
  'issuer-away': ['IDPCommunicationError', 'Unable to communicate with the identity provider.'],
  'other-issuer': [
    'InvalidIdentityToken',
    'Couldn’t retrieve verification key from your identity provider, please reference AssumeRoleWithWebIdentity documentation for requirements',
  ],
  'bad-signature': ['InvalidIdentityToken', 'No matching key found or invalid signature for the token.'],
  expired: ['ExpiredTokenException', ''],
};

/** The Security Token Service of AWS: AssumeRoleWithWebIdentity and GetCallerIdentity of the query protocol. */
export class AwsSts {
  readonly #sessions = new Map<string, Session>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async handle(body: string, headers: IncomingHttpHeaders): Promise<Answer> {
    const parameters = new URLSearchParams(body);
    const action = parameters.get('Action') ?? '';
    try {
      const result = await this.#call(action, { parameters, body, headers });
      return toXml(200, `<${action}Response xmlns="${namespace}">${result}${requestId()}</${action}Response>`);
    } catch (error) {
      if (!(error instanceof StsError)) throw error;
      const { code, status, message } = error;
      const details = `<Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message>`;
      return toXml(
        status,
        `<ErrorResponse xmlns="${namespace}"><Error>${details}</Error>${requestId()}</ErrorResponse>`,
      );
    }
  }

  async #call(action: string, call: Call): Promise<string> {
    if (call.parameters.get('Version') !== '2011-06-15')
      throw new StsError(400, 'InvalidAction', `Could not find operation ${action} for the version.`);
    if (action === 'AssumeRoleWithWebIdentity') return await this.#assumeRole(call.parameters);
    if (action === 'GetCallerIdentity') return await this.#getCaller(call);
    throw new StsError(400, 'InvalidAction', `Could not find operation ${action}.`);
  }

  async #assumeRole(parameters: URLSearchParams): Promise<string> {
    const { verifier } = this.#options;
    const [roleArn, session, token] = ['RoleArn', 'RoleSessionName', 'WebIdentityToken'].map(
      (name) => parameters.get(name) ?? '',
    ) as [string, string, string];
    if (!/^[\w+=,.@-]{2,64}$/.test(session))
      throw new StsError(
        400,
        'ValidationError',
        `Value '${session}' at 'roleSessionName' failed to satisfy constraint`,
      );
    const [, , , , accountId = '', role = ''] = roleArn.split(':');
    const account = this.#options.state.aws.find(({ id }) => id === accountId);
    try {
      const { iss, aud } = verifier.decode(token);
      const provider = findProvider(account, iss, [aud ?? []].flat());
      const claims = await verifier.verify(token, provider.url);
      const policyName = provider.url.replace(/^https?:\/\//, '');
      const context = { [`${policyName}:aud`]: String(claims.aud), [`${policyName}:sub`]: String(claims.sub) };
      const arn = `arn:aws:iam::${accountId}:oidc-provider/${policyName}`;
      const policy = account?.roles[roleArn];
      if (!policy || !isTrusted(policy, { provider: arn, context }))
        throw new StsError(403, 'AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
      return this.#openSession(
        `arn:aws:sts::${accountId}:assumed-role/${role.split('/').at(-1)}/${session}`,
        accountId,
      );
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const [code, message] = faults[error.fault];
      throw new StsError(400, code, message || error.message);
    }
  }

  #openSession(arn: string, account: string): string {
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const [secretAccessKey, sessionToken] = [randomBytes(30).toString('base64'), randomBytes(90).toString('base64')];
    const expiresAtMs = this.#options.now().getTime() + 900_000;
    this.#sessions.set(accessKeyId, { secretAccessKey, sessionToken, arn, account, expiresAtMs });
    const credentials = {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAtMs).toISOString(),
    };
    return `<AssumeRoleWithWebIdentityResult><AssumedRoleUser>${toElements({ Arn: arn })}</AssumedRoleUser><Credentials>${toElements(credentials)}</Credentials></AssumeRoleWithWebIdentityResult>`;
  }

  /** Signs the request again with the secret of the session, and compares. */
  async #getCaller({ body, headers }: Call): Promise<string> {
    const authorization = headers.authorization ?? '';
    const [, accessKeyId = '', region = ''] =
      /Credential=([A-Z0-9]+)\/\d{8}\/([a-z0-9-]+)\/sts\//.exec(authorization) ?? [];
    const session = this.#sessions.get(accessKeyId);
    if (!session || headers['x-amz-security-token'] !== session.sessionToken)
      throw new StsError(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
    if (session.expiresAtMs <= this.#options.now().getTime())
      throw new StsError(403, 'ExpiredToken', 'The security token included in the request is expired');
    const { headers: expected } = await new AwsV4Signer({
      method: 'POST',
      url: `http://${headers.host}/`,
      headers: { 'content-type': headers['content-type'] ?? '' },
      body,
      accessKeyId,
      secretAccessKey: session.secretAccessKey,
      sessionToken: session.sessionToken,
      service: 'sts',
      region,
      datetime: String(headers['x-amz-date']),
    }).sign();
    if (expected.get('authorization') !== authorization)
      throw new StsError(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match.');
    const identity = { Arn: session.arn, UserId: `AROA:${session.arn.split('/').at(-1)}`, Account: session.account };
    return `<GetCallerIdentityResult>${toElements(identity)}</GetCallerIdentityResult>`;
  }
}

function findProvider(account: AwsAccount | undefined, issuer: string, audiences: string[]) {
  const provider = account?.oidcProviders.find(({ url }) => url === issuer);
  if (!provider)
    throw new StsError(400, 'InvalidIdentityToken', `No OpenIDConnect provider found in your account for ${issuer}`);
  if (!audiences.some((audience) => provider.clientIds.includes(audience)))
    throw new StsError(400, 'InvalidIdentityToken', 'Incorrect token audience');
  return provider;
}

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';
const requestId = (): string => `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
const toXml = (status: number, body: string): Answer => ({ status, type: 'text/xml', body });
const toElements = (texts: Record<string, string>): string =>
  Object.entries(texts)
    .map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`)
    .join('');
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
