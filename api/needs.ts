import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ServiceError } from '../src/errors.ts';
import { refusal } from '../src/rules/access/actions.ts';
import type { Need } from '../src/rules/access/roles.ts';
import type { ApiEnv } from './deps.ts';
import { answerAgain } from './show-list.ts';

const defaultBodyBytesMax = 1024 * 1024;

/**
 * Declares what an operation takes of its caller, and enforces it before anything of the request is looked at:
 * credentials (401), then the role (403), then the size of the body (413).
 */
export function needs(need: Need, { bodyBytesMax = defaultBodyBytesMax }: { bodyBytesMax?: number } = {}) {
  const middleware = [authorise(need), ...(isOfSomebody(need) ? [answerAgain] : []), limitBody(bodyBytesMax)];
  return { 'x-role': need, security: securityFor(need), middleware };
}

const authorise =
  (need: Need): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    await admit(need, c);
    c.set('admitAgain', () => admit(need, c));
    await next();
  };

async function admit(need: Need, c: Context<ApiEnv>): Promise<void> {
  const access = c.get('access');
  if (need === 'anyone') return;
  if (need === 'setup-token') return access.checkSetupToken(c.req.header('x-service-setup-token'));
  const caller = await access.identify(c);
  c.set('caller', caller);
  if (need === 'signed-in') return;
  if (need === 'platform-admin') {
    if (caller.platformAdmin) return;
    throw new ServiceError('forbidden', 'Only a platform admin may do this: it concerns the whole installation.');
  }
  const org = c.req.param('org') ?? '';
  const role = await access.roleIn(caller, org);
  const why = refusal(role, need);
  // The same words whether the org exists or not: its name alone tells nobody that it does.
  if (why !== undefined) throw new ServiceError('forbidden', `Not allowed in org "${org}". ${why}`);
  c.set('role', role);
}

function limitBody(maxSize: number): MiddlewareHandler<ApiEnv> {
  const counting = bodyLimit({
    maxSize,
    onError: () => {
      throw new ServiceError('too-large', `The body is larger than the ${maxSize} bytes that this operation takes.`);
    },
  });
  // Counting has to make a stream of the body; one that announces its length is held to it by the server.
  return async (c, next) => (saidToFit(c, maxSize) ? await next() : await counting(c, next));
}

function saidToFit(c: Context<ApiEnv>, maxSize: number): boolean {
  // Nobody reads a body of these.
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return true;
  const length = c.req.header('content-length') ?? '';
  return c.req.header('transfer-encoding') === undefined && /^\d{1,12}$/.test(length) && Number(length) <= maxSize;
}

const isOfSomebody = (need: Need): boolean => need !== 'anyone' && need !== 'setup-token';

function securityFor(need: Need): Record<string, string[]>[] {
  if (need === 'anyone') return [];
  return need === 'setup-token' ? [{ setupToken: [] }] : [{ bearer: [] }, { session: [] }];
}
