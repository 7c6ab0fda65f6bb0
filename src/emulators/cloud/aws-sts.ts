import { randomUUID } from 'node:crypto';
import { type AwsRequest, type AwsSessions, SignatureError } from './aws-sessions.ts';
import type { AwsAccount, CloudState } from './cloud-state.ts';
import { TokenError, type TokenFault, type TokenVerifier } from './token-verifier.ts';
import { isTrusted } from './is-trusted.ts';

export type Answer = { status: number; type: string; body: string; headers?: Record<string, string> };
type Options = { state: CloudState; verifier: TokenVerifier; sessions: AwsSessions };

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
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Parameters are in the body, or in the query of a request that was signed for another one to send. */
  async handle(request: AwsRequest): Promise<Answer> {
    const parameters = request.method === 'POST' ? new URLSearchParams(request.body) : request.url.searchParams;
    const action = parameters.get('Action') ?? '';
    try {
      const result = await this.#call(action, parameters, request);
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

  async #call(action: string, parameters: URLSearchParams, request: AwsRequest): Promise<string> {
    if (parameters.get('Version') !== '2011-06-15')
      throw new StsError(400, 'InvalidAction', `Could not find operation ${action} for the version.`);
    if (action === 'AssumeRoleWithWebIdentity') return await this.#assumeRole(parameters);
    if (action === 'GetCallerIdentity') return await this.#getCaller(request);
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
      const roleName = role.split('/').at(-1);
      return this.#openSession({
        arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${session}`,
        roleArn,
        account: accountId,
      });
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const [code, message] = faults[error.fault];
      throw new StsError(400, code, message || error.message);
    }
  }

  #openSession(identity: { arn: string; roleArn: string; account: string }): string {
    const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = this.#options.sessions.open(identity);
    const credentials = {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAtMs).toISOString(),
    };
    return `<AssumeRoleWithWebIdentityResult><AssumedRoleUser>${toElements({ Arn: identity.arn })}</AssumedRoleUser><Credentials>${toElements(credentials)}</Credentials></AssumeRoleWithWebIdentityResult>`;
  }

  async #getCaller(request: AwsRequest): Promise<string> {
    const { arn, account } = await this.#options.sessions.verify(request, 'sts').catch((error: unknown) => {
      throw error instanceof SignatureError ? new StsError(403, error.code, error.message) : error;
    });
    const identity = { Arn: arn, UserId: `AROA:${arn.split('/').at(-1)}`, Account: account };
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
