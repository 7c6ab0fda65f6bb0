import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './aws-sts.ts';
import type { CloudState, WorkloadIdentityProvider } from './cloud-state.ts';
import { TokenError, type TokenFault, type TokenVerifier } from './token-verifier.ts';

type Options = { state: CloudState; verifier: TokenVerifier; now: () => Date };

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const jwtType = 'urn:ietf:params:oauth:token-type:jwt';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const faults: Record<TokenFault, string> = {
  malformed: 'The ID Token is malformed.',
  'issuer-away': 'Error connecting to the given credential’s issuer.',
  'other-issuer': 'The issuer in the discovery document does not match the expected issuer.',
  'bad-signature': 'Unable to verify the ID Token signature.',
  expired: 'ID Token is stale to sign-in.',
};

/** The Security Token Service of Google Cloud and generateAccessToken of its IAM Service Account Credentials API. */
export class GoogleSts {
  /** The principals of the tokens that were given. */
  readonly #principals = new Map<string, string>();
  /** The service accounts of the tokens that were made, until they end. */
  readonly #accounts = new Map<string, { email: string; expiresAtMs: number }>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async exchange(body: string): Promise<Answer> {
    const request = JSON.parse(body) as Record<string, string | undefined>;
    const [, name = ''] = /^\/\/iam\.googleapis\.com\/(.+)$/.exec(request['audience'] ?? '') ?? [];
    const provider = this.#options.state.google.providers.find((one) => one.name === name);
    if (request['grantType'] !== grantType || request['subjectTokenType'] !== jwtType)
      return toOAuthError('invalid_request', 'Invalid grant type or subject token type.');
    if (!provider)
      return toOAuthError(
        'invalid_target',
        'The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn’t exist.',
      );
    try {
      const subject = await this.#verify(request['subjectToken'] ?? '', provider);
      const token = `ya29.d.${randomBytes(40).toString('base64url')}`;
      const pool = name.replace(/\/providers\/[^/]*$/, '');
      this.#principals.set(token, `principal://iam.googleapis.com/${pool}/subject/${subject}`);
      return toJson(200, {
        access_token: token,
        issued_token_type: accessTokenType,
        token_type: 'Bearer',
        expires_in: 3600,
      });
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return toOAuthError('invalid_grant', error.message);
    }
  }

  generateAccessToken(serviceAccount: string, body: string, { authorization = '' }: IncomingHttpHeaders): Answer {
    const { lifetime = '3600s' } = JSON.parse(body) as { lifetime?: string };
    const principal = this.#principals.get(authorization.replace('Bearer ', ''));
    if (principal === undefined)
      return toApiError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    if (!this.#options.state.google.serviceAccounts[serviceAccount]?.includes(principal))
      return toApiError(
        403,
        'PERMISSION_DENIED',
        'Permission "iam.serviceAccounts.getAccessToken" denied on resource (or it may not exist).',
      );
    const expiresAtMs = this.#options.now().getTime() + Number.parseInt(lifetime, 10) * 1_000;
    const accessToken = `ya29.c.${randomBytes(40).toString('base64url')}`;
    this.#accounts.set(accessToken, { email: serviceAccount, expiresAtMs });
    return toJson(200, { accessToken, expireTime: new Date(expiresAtMs).toISOString() });
  }

  /** Returns the service account of a token that has not ended. */
  findAccount(token: string): string | undefined {
    const { email, expiresAtMs = 0 } = this.#accounts.get(token) ?? {};
    return expiresAtMs > this.#options.now().getTime() ? email : undefined;
  }

  /** Returns the subject of a token that the provider accepts. */
  async #verify(token: string, { name, issuer, allowedAudiences, attributeCondition }: WorkloadIdentityProvider) {
    const { verifier } = this.#options;
    const { iss, aud } = verifier.decode(token);
    if (iss !== issuer)
      throw new TokenError('malformed', `The issuer in ID Token ${iss} does not match the expected issuer ${issuer}.`);
    const allowed = allowedAudiences ?? [`https://iam.googleapis.com/${name}`];
    if (![aud ?? []].flat().some((audience) => allowed.includes(audience)))
      throw new TokenError(
        'malformed',
        `The audience in ID Token [${String(aud)}] does not match the expected audience.`,
      );
    const claims = await verifier.verify(token, issuer).catch((error: unknown) => {
      if (error instanceof TokenError) throw new TokenError(error.fault, faults[error.fault]);
      throw error;
    });
    if (attributeCondition !== undefined && attributeCondition !== `assertion.sub == '${String(claims.sub)}'`)
      throw new TokenError('malformed', 'The given credential is rejected by the attribute condition.');
    return String(claims.sub);
  }
}

export const toJson = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=UTF-8',
  body: JSON.stringify(body),
});
const toOAuthError = (error: string, description: string): Answer =>
  toJson(400, { error, error_description: description });
export const toApiError = (code: number, status: string, message: string): Answer =>
  toJson(code, { error: { code, message, status } });
