import { randomBytes } from 'node:crypto';
import type { RouteConfig } from '@hono/zod-openapi';
import type { Context, Handler, MiddlewareHandler } from 'hono';
import { defined } from '../../src/defined.ts';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, UserKind, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { describeChange, type Write } from '../../src/rules/audit/describe-change.ts';
import { describeParameters } from '../../src/rules/audit/describe-parameters.ts';
import { createEntryId } from '../../src/rules/audit/entry-id.ts';
import type { AuditEntry, AuditResult } from '../../src/rules/audit/entry.ts';
import { shorten } from '../../src/rules/audit/flatten.ts';
import { systemNamespace, toOrgName } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { problemKinds } from '../http/problem.ts';
import { RateLimiter } from '../http/rate-limiter.ts';
import { completeEntry, createEntry, discardEntry, installationScope, type StoredEntry } from './audit-log.ts';
import { currentRecording } from './current-recording.ts';
import { createFingerprintKeyReader } from './fingerprint-key.ts';
import { unrecordedOperations } from './unrecorded-operations.ts';

/** The number of refusals per person, operation and minute that are recorded, so that no script fills the log. */
const refusalsPerMinute = 10;
/** Bounds the work of describing them: more than the changes of one replacement of the access groups of an org. */
const changesMax = 500;
const userAgentMax = 200;

/** An org has no readers once it is deleted, so its deletion belongs to the installation's changes. */
const installationOperations = new Set(['deleteOrg']);

type Outcome = Pick<AuditEntry, 'status' | 'reason'> & { result: AuditResult };

export type ChangeRecorder = {
  /** Records each change that the handler of an operation makes. */
  wrap: (route: RouteConfig, handler: Handler<ApiEnv>) => Handler<ApiEnv>;
  /** Records changes that are refused because of the caller's role, which no handler sees. */
  refusals: (route: RouteConfig) => MiddlewareHandler<ApiEnv>;
};

/**
 * Creates the boundary that records every change, so that no operation can forget it. The entry exists before the change
 * begins: for an authenticated caller before the handler runs, otherwise, and for a GET, before its first write. If the
 * entry cannot be created, nothing is changed. If the process dies, the entry remains without a result.
 */
export function createChangeRecorder(deps: Pick<ApiDeps, 'store' | 'now' | 'log'>): ChangeRecorder {
  const { store, now, log } = deps;
  const readKey = createFingerprintKeyReader(store);
  const refusals = new RateLimiter(refusalsPerMinute);
  const isFlood = (entry: AuditEntry): boolean =>
    refusals.consume(`${entry.operation} ${entry.user}`, now()).isExceeded;

  return {
    wrap: (route, handler) => {
      const operation = route.operationId ?? '';
      if (operation in unrecordedOperations) return handler;
      return async (c, next) => {
        c.set('isRecorded', true);
        const change = new Change(store, c, operation);
        const begin = async (namespace?: string): Promise<void> => change.begin(now(), namespace);
        if (route.method !== 'get' && c.get('caller')) await begin();
        const finish = async (outcome: Outcome): Promise<void> => {
          await change.finish(outcome, { readKey, isFlood }).catch((error: unknown) => {
            log.error({ requestId: c.get('requestId'), error: String(error) }, 'Failed to complete an audit entry');
          });
        };
        try {
          const recording = { begin, note: (write: Write) => change.note(write) };
          const response = await currentRecording.run(recording, async () => (await handler(c, next)) as Response);
          await finish(toOutcome(response));
          return response;
        } catch (error) {
          await finish(toFailedOutcome(error));
          throw error;
        }
      };
    },

    refusals: (route) => async (c, next) => {
      await next();
      const { error } = c;
      const operation = route.operationId ?? '';
      if (route.method === 'get' || c.get('isRecorded') || operation in unrecordedOperations) return;
      if (!(error instanceof ServiceError) || error.code !== 'forbidden' || !(await isKnownInOrg(c))) return;
      const change = new Change(store, c, operation);
      await change.refuse(now(), toFailedOutcome(error), isFlood).catch((failure: unknown) => {
        log.error({ requestId: c.get('requestId'), error: String(failure) }, 'Failed to record a refused change');
      });
    },
  };
}

/** A stranger cannot write to the log of an org. */
async function isKnownInOrg(c: Context<ApiEnv>): Promise<boolean> {
  const org = c.req.param('org');
  const caller = c.get('caller');
  return caller && (org === undefined || (await c.get('authenticator').findRole(caller, org)) !== undefined);
}

type Finishing = { readKey: () => Promise<Uint8Array>; isFlood: (entry: AuditEntry) => boolean };

/** One change, from the entry that announces it to the one that tells its result. */
class Change {
  readonly #store: Store;
  readonly #c: Context<ApiEnv>;
  readonly #operation: string;
  readonly #writes: Write[] = [];
  #stored: Promise<StoredEntry> | undefined;
  #isFinished = false;

  constructor(store: Store, c: Context<ApiEnv>, operation: string) {
    this.#store = store;
    this.#c = c;
    this.#operation = operation;
  }

  async begin(at: Date, namespace?: string): Promise<void> {
    if (!this.#isFinished) this.#stored ??= this.#create(describeRequest(this.#c, this.#operation, at), namespace);
    await this.#stored;
  }

  note(write: Write): void {
    // A write that a handler left running belongs to no request.
    if (!this.#isFinished) this.#writes.push(write);
  }

  async finish(outcome: Outcome, { readKey, isFlood }: Finishing): Promise<void> {
    this.#isFinished = true;
    const stored = await this.#stored?.catch(() => undefined);
    if (!stored) return;
    if (outcome.result === 'refused' && this.#writes.length === 0 && isFlood(stored.entry))
      return await discardEntry(this.#store, stored);
    const key = await readKey();
    const changes = this.#writes.slice(0, changesMax).map((write) => describeChange(write, key));
    const omittedChanges = this.#writes.length > changesMax ? this.#writes.length - changesMax : undefined;
    const person = stored.entry.user === undefined ? await this.#findPerson() : {};
    const entry = { ...stored.entry, ...person, ...outcome, changes, ...defined({ omittedChanges }) };
    await completeEntry(this.#store, stored, entry);
  }

  /** Records a change that was refused before it began. */
  async refuse(at: Date, outcome: Outcome, isFlood: Finishing['isFlood']): Promise<void> {
    const entry = { ...describeRequest(this.#c, this.#operation, at), ...outcome };
    if (!isFlood(entry)) await this.#create(entry);
  }

  async #create(entry: AuditEntry, namespace?: string): Promise<StoredEntry> {
    const org = this.#c.req.param('org') ?? (namespace?.startsWith('org-') ? toOrgName(namespace) : undefined);
    const isOfInstallation = org === undefined || installationOperations.has(this.#operation);
    const found = isOfInstallation ? undefined : await this.#c.get('authenticator').findOrganization(org);
    if (!found) return await createEntry(this.#store, installationScope, entry);
    return await createEntry(this.#store, found.metadata.uid, { ...entry, org: found.metadata.name });
  }

  /** A person who signs in is known by what the sign-in creates. */
  async #findPerson(): Promise<Pick<AuditEntry, 'by' | 'user'>> {
    const created = this.#writes.filter(({ action }) => action === 'created');
    const find = (wanted: string): unknown => created.find(({ kind }) => kind === wanted)?.after;
    const token = find(ApiTokenKind.kind) as ApiToken | undefined;
    const ref = token && { namespace: systemNamespace, name: token.spec.user };
    const user = ref ? await this.#store.find(UserKind, ref) : (find(UserKind.kind) as User | undefined);
    return user ? { user: user.metadata.name, by: user.spec.email } : {};
  }
}

function describeRequest(c: Context<ApiEnv>, operation: string, at: Date): AuditEntry {
  return {
    id: createEntryId(at, randomBytes(4).toString('hex')),
    at: at.toISOString(),
    operation,
    ...describeCaller(c),
    ...describeParameters(readParameters(c)),
    result: 'unknown',
    changes: [],
  };
}

function describeCaller(c: Context<ApiEnv>) {
  const caller = c.get('caller');
  const credential = c.get('credential');
  const userAgent = c.req.header('user-agent');
  return {
    ...(caller && { by: caller.email, user: caller.user }),
    via: caller?.via ?? c.get('otherCaller') ?? ('anonymous' as const),
    ...(credential && { credential: { name: credential.metadata.name, label: credential.spec.label } }),
    address: c.get('signInGuards').clientAddress(c),
    ...(userAgent !== undefined && { userAgent: shorten(userAgent, userAgentMax) }),
    requestId: c.get('requestId'),
  };
}

/** Reads the validated parameters. Before the validation, only the path parameters are known. */
function readParameters(c: Context<ApiEnv>) {
  const { valid } = c.req as { valid: (part: string) => unknown };
  const read = (part: string): unknown => valid.call(c.req, part);
  return {
    path: (read('param') ?? c.req.param()) as Record<string, unknown>,
    query: (read('query') ?? {}) as Record<string, unknown>,
    body: read('json') ?? read('form'),
  };
}

const toOutcome = ({ status }: Response): Outcome => ({
  result: status < 400 ? 'succeeded' : status < 500 ? 'refused' : 'failed',
  status,
});

function toFailedOutcome(error: unknown): Outcome {
  if (!(error instanceof ServiceError)) return { result: 'failed', status: 500, reason: 'internal-error' };
  const { status } = problemKinds[error.code];
  return { result: status < 500 ? 'refused' : 'failed', status, reason: error.reason };
}
