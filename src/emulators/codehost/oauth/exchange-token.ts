import type { Context } from 'hono';
import { getAccount } from '../accounts.ts';
import type { Host } from '../host.ts';
import { listEmails } from '../people.ts';
import type { OAuthClient } from '../tables.ts';
import { findOAuthClient, hasSecret } from './clients.ts';
import { deleteUserToken, findUserToken, issueTokens, isVerifier, takeCode } from './tokens.ts';

const descriptions = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  bad_refresh_token: 'The refresh token passed is incorrect or expired.',
  unsupported_grant_type: 'The grant_type is not supported.',
  unverified_user_email: 'The user must have a verified primary email.',
};
type OAuthError = keyof typeof descriptions;
type Fields = Record<string, string | undefined>;
type Answer = OAuthError | Record<string, string | number>;

/** Exchanges a code or a refresh token for tokens. As at GitHub, an error has the status 200. */
export async function exchangeToken(host: Host, c: Context): Promise<Response> {
  const fields = await readFields(c);
  const client = findOAuthClient(host, fields['client_id'] ?? '');
  if (!client) return respond(c, { error: 'Not Found' }, 404);
  const answer = exchange(host, client, fields);
  if (typeof answer !== 'string') return respond(c, answer);
  const uri = `https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors#${answer.replaceAll('_', '-')}`;
  return respond(c, { error: answer, error_description: descriptions[answer], error_uri: uri });
}

function exchange(host: Host, client: OAuthClient, fields: Fields): Answer {
  if (!hasSecret(client, fields['client_secret'] ?? '')) return 'incorrect_client_credentials';
  const { grant_type: grantType = 'authorization_code' } = fields;
  if (grantType === 'refresh_token') return refresh(host, client, fields['refresh_token'] ?? '');
  return grantType === 'authorization_code' ? redeem(host, client, fields) : 'unsupported_grant_type';
}

function redeem(host: Host, client: OAuthClient, fields: Fields): Answer {
  const code = takeCode(host, fields['code'] ?? '');
  if (!code || code.oauthClientId !== client.id) return 'bad_verification_code';
  const { codeChallenge, redirectUri, accountId, scope } = code;
  if (codeChallenge !== null && !isVerifier(codeChallenge, fields['code_verifier'] ?? ''))
    return 'bad_verification_code';
  if ((fields['redirect_uri'] ?? redirectUri) !== redirectUri) return 'redirect_uri_mismatch';
  const emails = listEmails(host, getAccount(host, accountId));
  if (!emails.some(({ primary, verified }) => primary && verified)) return 'unverified_user_email';
  return issueTokens(host, { client, accountId, scope });
}

function refresh(host: Host, client: OAuthClient, token: string): Answer {
  return host.database.transaction(() => {
    const known = findUserToken(host, token, 'refresh');
    if (!known || known.oauthClientId !== client.id) return 'bad_refresh_token';
    deleteUserToken(host, known);
    return issueTokens(host, { client, accountId: known.accountId, scope: known.scope });
  });
}

async function readFields(c: Context): Promise<Fields> {
  const isJson = (c.req.header('content-type') ?? '').startsWith('application/json');
  const body: unknown = isJson ? await c.req.json().catch(() => ({})) : await c.req.parseBody();
  const texts = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { ...c.req.query(), ...Object.fromEntries(texts) };
}

function respond(c: Context, body: Record<string, string | number>, status: 200 | 404 = 200): Response {
  c.header('Cache-Control', 'no-store');
  if ((c.req.header('accept') ?? '').includes('application/json')) return c.json(body, status);
  const form = new URLSearchParams(Object.entries(body).map(([key, value]): [string, string] => [key, String(value)]));
  c.header('Content-Type', 'application/x-www-form-urlencoded; charset=utf-8');
  return c.body(form.toString(), status);
}
