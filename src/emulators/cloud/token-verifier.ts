import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';

export type TokenFault = 'malformed' | 'issuer-away' | 'other-issuer' | 'bad-signature' | 'expired';

/** A token that does not verify. */
export class TokenError extends Error {
  readonly fault: TokenFault;
  constructor(fault: TokenFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

type Options = {
  now: () => Date;
  /** Clouds keep the keys of an issuer for hours, and so do not know a key that was published a moment ago. */
  keysCacheMs: number;
};

const timeoutMs = 10_000;

/** Verifies tokens with the keys that their issuer publishes, which it reads over HTTP and keeps for a while. */
export class TokenVerifier {
  readonly #cache = new Map<string, { keys: JSONWebKeySet; readAtMs: number }>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads the claims without verifying them. */
  decode(token: string): JWTPayload & { iss: string } {
    try {
      const { iss = '', ...claims } = decodeJwt(token);
      return { ...claims, iss };
    } catch {
      throw new TokenError('malformed', 'The ID Token provided is not a valid JWT.');
    }
  }

  async verify(token: string, issuer: string): Promise<JWTPayload> {
    const keys = createLocalJWKSet(await this.#readKeys(issuer));
    try {
      const options = { issuer, algorithms: ['RS256'], currentDate: this.#options.now() };
      return (await jwtVerify(token, keys, { ...options, requiredClaims: ['exp', 'iat', 'sub', 'aud'] })).payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw new TokenError('expired', `Token expired: current date/time ${this.#options.now().toISOString()}`);
      throw new TokenError('bad-signature', (error as Error).message);
    }
  }

  async #readKeys(issuer: string): Promise<JSONWebKeySet> {
    const nowMs = this.#options.now().getTime();
    const cached = this.#cache.get(issuer);
    if (cached && nowMs - cached.readAtMs < this.#options.keysCacheMs) return cached.keys;
    const discovery = await readJson(`${issuer}/.well-known/openid-configuration`);
    if (discovery['issuer'] !== issuer)
      throw new TokenError('other-issuer', `The discovery document names the issuer ${String(discovery['issuer'])}.`);
    const keys = (await readJson(String(discovery['jwks_uri']))) as unknown as JSONWebKeySet;
    this.#cache.set(issuer, { keys, readAtMs: nowMs });
    return keys;
  }
}

async function readJson(url: string): Promise<Record<string, unknown>> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !/^(localhost|127\.0\.0\.1)$/.test(hostname))
    throw new TokenError('issuer-away', 'An issuer must have https.');
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  } catch (error) {
    throw new TokenError('issuer-away', `${url}: ${(error as Error).message}`);
  }
}
