import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ServiceError } from '../../src/errors.ts';
import { roleViolation } from '../../src/rules/access/actions.ts';
import { assertOrgActive } from '../../src/rules/orgs/assert-org-active.ts';
import { mayAdminister, type RequiredRole } from '../../src/rules/access/roles.ts';
import type { ApiEnv } from '../deps.ts';
import { assertCredential, type RequiredCredential } from './assert-credential.ts';

const defaultBodyBytesMax = 1024 * 1024;
/** Strangers can make the service parse this much. */
const anonymousBodyBytesMax = 16 * 1024;

/**
 * Declares the role and the kind of credential that an operation requires, and enforces them before the request is
 * parsed: credentials (401), then the role and the kind (403), an org that is being deleted (409, unless
 * `whileDeleting`), then the size of the body (413).
 */
export function requireRole(
  role: RequiredRole,
  {
    bodyBytesMax = role === 'anyone' || role === 'setup-token' ? anonymousBodyBytesMax : defaultBodyBytesMax,
    whileDeleting = false,
    credential = 'any',
  }: {
    bodyBytesMax?: number | 'limited by the handler';
    whileDeleting?: boolean;
    credential?: RequiredCredential;
  } = {},
) {
  const limits = typeof bodyBytesMax === 'number' ? [limitBody(bodyBytesMax)] : [];
  const middleware = [authorize({ role, credential, whileDeleting }), ...limits];
  return { 'x-role': role, 'x-credential': credential, security: securityFor(role, credential), middleware };
}

type Requirement = { role: RequiredRole; credential: RequiredCredential; whileDeleting: boolean };

const authorize =
  (requirement: Requirement): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    await assertAuthorized(c, requirement, { isUse: true });
    // A stream that is only left open does not keep the session.
    c.set('reauthorize', async () => await assertAuthorized(c, requirement, { isUse: false }));
    await next();
  };

async function assertAuthorized(
  c: Context<ApiEnv>,
  requirement: Requirement,
  { isUse }: { isUse: boolean },
): Promise<void> {
  const { role: required, whileDeleting } = requirement;
  const authenticator = c.get('authenticator');
  if (required === 'anyone') return;
  if (required === 'setup-token') {
    await authenticator.assertSetupToken(c.req.header('x-service-setup-token'));
    return c.set('otherCaller', 'setup-token');
  }
  const { caller, credential, token } = await authenticator.authenticate(c, { isUse });
  c.set('caller', caller);
  c.set('credential', credential);
  c.set('token', token);
  if (required === 'platform-admin' && !mayAdminister(caller))
    throw new ServiceError(
      'insufficient-role',
      'Only a platform admin may do this, because it affects the whole installation.',
    );
  assertCredential(requirement.credential, credential);
  if (required === 'signed-in' || required === 'platform-admin') return;
  const org = c.req.param('org') ?? '';
  const role = await authenticator.findRole(caller, org);
  const violation = roleViolation(role, required);
  // The message is the same for an org that does not exist, so that a caller cannot probe for the names of orgs.
  if (violation !== undefined) throw new ServiceError('insufficient-role', `Not allowed in org "${org}". ${violation}`);
  const organization = await authenticator.findOrganization(org);
  if (organization) c.set('knownOrg', org);
  if (organization && !whileDeleting && !isRead(c)) assertOrgActive(organization);
  c.set('role', role);
  c.set('isPersonal', organization?.spec.approvals?.preventSelfApproval ?? false);
}

const isRead = ({ req }: Context): boolean => req.method === 'GET' || req.method === 'HEAD';

function limitBody(maxSize: number): MiddlewareHandler<ApiEnv> {
  const countBytes = bodyLimit({
    maxSize,
    onError: () => {
      throw new ServiceError('too-large', `The body exceeds the limit of ${maxSize} bytes for this operation.`);
    },
  });
  // Counting turns the body into a stream, so it is skipped for a declared length, which the HTTP server enforces.
  return async (c, next) => (declaresAllowedLength(c, maxSize) ? await next() : await countBytes(c, next));
}

function declaresAllowedLength(c: Context<ApiEnv>, maxSize: number): boolean {
  // No handler reads the body of these methods.
  if (isRead(c)) return true;
  const length = c.req.header('content-length') ?? '';
  return c.req.header('transfer-encoding') === undefined && /^\d{1,12}$/.test(length) && Number(length) <= maxSize;
}

function securityFor(role: RequiredRole, credential: RequiredCredential): Record<string, string[]>[] {
  if (role === 'anyone') return [];
  if (role === 'setup-token') return [{ setupToken: [] }];
  return credential === 'any' ? [{ bearer: [] }, { session: [] }] : [{ session: [] }];
}
