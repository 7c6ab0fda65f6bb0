/** The classes of refusals that a caller can act on. Each is one status of the API. */
export type ErrorCode =
  | 'not-signed-in'
  | 'forbidden'
  | 'not-found'
  | 'not-acceptable'
  | 'conflict'
  | 'precondition-failed'
  | 'precondition-required'
  | 'invalid'
  | 'too-large'
  | 'too-many-requests'
  | 'unavailable';

/**
 * The machine-readable reasons of refusals, each with its class and the sentence that the problems page shows.
 * A client branches on the reason; the message of an error may change at any time.
 */
export const reasons = {
  'not-signed-in': { code: 'not-signed-in', help: 'The request carries no valid credentials.' },
  'connection-state-invalid': {
    code: 'not-signed-in',
    help: 'The `state` is unknown, already used, expired, or was issued to another person or browser. Start connecting the org again.',
  },
  'login-ticket-used': {
    code: 'not-signed-in',
    help: 'The sign-in link has been used, has expired or is for another browser. Open the zone again.',
  },
  'token-revoked': {
    code: 'not-signed-in',
    help: 'The token is unknown or was revoked. Create a new token, or sign in again.',
  },
  'token-expired': {
    code: 'not-signed-in',
    help: 'The token or session has expired. Create a new token, or sign in again.',
  },
  'user-rejected': {
    code: 'not-signed-in',
    help: 'The User was changed without the API, and is not valid. Its condition `Accepted` names the fix.',
  },
  'invalid-credentials': { code: 'not-signed-in', help: 'The e-mail address and password do not match a user.' },
  'sign-in-state-invalid': {
    code: 'not-signed-in',
    help: 'The response does not match a sign-in of this browser, or that sign-in was used or has expired. Sign in again.',
  },
  'sign-in-rejected': {
    code: 'not-signed-in',
    help: 'The identity provider did not confirm the identity of the person, or sent a response that does not verify. Sign in again.',
  },
  'identity-not-allowed': {
    code: 'forbidden',
    help: 'The identity provider knows the person, but what it says about them does not allow a sign-in. The detail names the fix.',
  },
  'identity-not-linked': {
    code: 'forbidden',
    help: 'The address belongs to a user with another sign-in method. Use that method.',
  },
  'password-not-accepted': {
    code: 'forbidden',
    help: 'Only platform admins can sign in with a password. Sign in through an identity provider.',
  },
  'sign-in-required': { code: 'not-signed-in', help: 'The zone is open only to people who signed in.' },
  'ambiguous-cookie': {
    code: 'not-signed-in',
    help: 'The request carries two cookies with the same name, and one of them was set by another site. Delete the cookies of this site, then sign in again.',
  },
  'alert-token-invalid': {
    code: 'not-signed-in',
    help: 'The bearer token is not the one in the Secret `service-alert-webhook`. Check the Secret that Alertmanager uses.',
  },
  'invalid-signature': {
    code: 'not-signed-in',
    help: 'The signature matches the webhook secret of no org. Check the secret at the code host.',
  },
  forbidden: { code: 'forbidden', help: 'The caller’s roles do not allow the operation.' },
  'session-required': {
    code: 'forbidden',
    help: 'The operation requires the browser session of a person. A token cannot create or approve another credential.',
  },
  'codehost-access-denied': {
    code: 'forbidden',
    help: 'The code host denies the org’s application access. The detail names the fix.',
  },
  'model-provider-missing': { code: 'forbidden', help: 'The org has no model provider. An org admin can set one.' },
  'model-provider-key-rejected': {
    code: 'forbidden',
    help: 'The model provider rejected the key. Check the key and its access to the model.',
  },
  'model-provider-payment-required': {
    code: 'forbidden',
    help: 'The account at the model provider has no credit. Add credit, or use another key.',
  },
  'self-approval': { code: 'forbidden', help: 'The org requires approval by a second person.' },
  'zone-access-denied': { code: 'forbidden', help: 'The user has no role in the org of the zone.' },
  'cross-origin-request': {
    code: 'forbidden',
    help: 'A browser session can only be used from pages of this installation. Use a token elsewhere.',
  },
  'password-session-required': {
    code: 'forbidden',
    help: 'The operation requires a browser session of a person who signed in with a password. API tokens cannot call it.',
  },
  'insufficient-role': {
    code: 'forbidden',
    help: 'The operation requires a higher role in the org. An org admin can grant it.',
  },
  'not-found': { code: 'not-found', help: 'The resource or path does not exist.' },
  'not-acceptable': {
    code: 'not-acceptable',
    help: 'The operation returns none of the media types of `Accept`. The detail lists those that it returns.',
  },
  'precondition-failed': {
    code: 'precondition-failed',
    help: 'The resource is not in the version that `If-Match` or `If-None-Match` names. Read it again, then retry.',
  },
  'precondition-required': {
    code: 'precondition-required',
    help: 'The operation replaces a resource. Send the version that you read, as `If-Match` or in the body.',
  },
  conflict: { code: 'conflict', help: 'The current state of the resource does not allow the operation.' },
  'codehost-not-connected': {
    code: 'conflict',
    help: 'The org is not connected to its code host. An org admin can connect it.',
  },
  'codehost-conflict': { code: 'conflict', help: 'The code host rejected the change, because its state has changed.' },
  'tag-exists': { code: 'conflict', help: 'The tag exists at another commit. Remove it, or choose another version.' },
  'stale-version': { code: 'conflict', help: 'The resource changed since it was read. Read it again, then retry.' },
  'already-exists': { code: 'conflict', help: 'A resource with that name already exists.' },
  'workflow-completed': { code: 'conflict', help: 'The workflow has already completed. Read the resource again.' },
  'domain-unusable': { code: 'conflict', help: 'The domain is being removed or is no longer verified.' },
  'zone-in-use': { code: 'conflict', help: 'The zone runs a Release. Remove the zone with `removeZone` first.' },
  'name-taken': { code: 'conflict', help: 'The name or address is reserved by another Product. Choose another one.' },
  'namespace-taken': {
    code: 'conflict',
    help: 'The cluster has a namespace with the name of the zone that belongs to another owner. Choose another name.',
  },
  'application-changed': {
    code: 'conflict',
    help: 'The Application of the zone deploys to another namespace than the service wrote. Delete the Application.',
  },
  'incident-resolved': { code: 'conflict', help: 'The incident is already resolved. Add a note, or open another one.' },
  'incident-timeline-full': { code: 'conflict', help: 'The timeline of the incident accepts no more notes.' },
  'run-not-active': { code: 'conflict', help: 'The run is not in progress. Start a new run.' },
  'step-not-waiting': { code: 'conflict', help: 'The step does not wait for this decision.' },
  'step-not-retryable': { code: 'conflict', help: 'Only a failed step or one that needs guidance can be retried.' },
  'unreviewed-commits': {
    code: 'conflict',
    help: 'The pull request has commits that were not shown. Review them, then decide again.',
  },
  'zone-removing': { code: 'conflict', help: 'The zone is being removed.' },
  'zone-frozen': { code: 'conflict', help: 'The zone is frozen. Unfreeze it, or set `overrideFreeze`.' },
  'decision-refused': {
    code: 'conflict',
    help: 'The decision was not made through the API of this installation, or is too old. Decide again.',
  },
  'promotion-not-waiting': { code: 'conflict', help: 'The promotion does not wait for approval.' },
  'promotion-in-progress': { code: 'conflict', help: 'Another promotion to the zone is in progress.' },
  'domain-claimed': { code: 'conflict', help: 'The org has already claimed the domain.' },
  'product-deleting': { code: 'conflict', help: 'The Product is being deleted and accepts no new work.' },
  'org-deleting': { code: 'conflict', help: 'The org is being deleted and accepts no changes.' },
  'release-not-eligible': {
    code: 'conflict',
    help: 'The Release is not built, or not verified in the zones before this one.',
  },
  'image-deleted': {
    code: 'conflict',
    help: 'The image of the Release was deleted, because many newer builds have replaced it. Promote a newer Release, or bring the version back in a new Change.',
  },
  'agent-role-in-use': {
    code: 'conflict',
    help: 'An AgentWorkflow uses the AgentRole. Change or delete the AgentWorkflow first.',
  },
  'run-in-progress': {
    code: 'conflict',
    help: 'A run for this target is already in progress. Wait until it finishes, or cancel it.',
  },
  'run-finished': { code: 'conflict', help: 'The run has already finished and accepts no decision.' },
  'release-in-progress': {
    code: 'conflict',
    help: 'A Release of this commit is already in progress. Wait until it finishes, or cancel it.',
  },
  'release-finished': { code: 'conflict', help: 'The Release has already finished and accepts no decision.' },
  'branch-empty': { code: 'conflict', help: 'The default branch has no commit to release. Push a commit, then retry.' },
  'pull-request-closed': { code: 'conflict', help: 'The pull request is already merged or closed.' },
  'pull-request-not-mergeable': {
    code: 'conflict',
    help: 'The code host refused to merge the pull request of the service. Fix the error that it reports, then retry.',
  },
  'branch-missing': { code: 'conflict', help: 'The branch does not exist in the repo, or has no commit.' },
  'branch-guarded': {
    code: 'conflict',
    help: 'No agent may push to a default or protected branch, or to the base of an open pull request.',
  },
  'branch-moved': { code: 'conflict', help: 'Other commits on the branch conflict with the commits of the agent.' },
  'file-exists': {
    code: 'conflict',
    help: 'The repo has a file at the path that the service did not create. Rename or delete it.',
  },
  'repo-exists': {
    code: 'conflict',
    help: 'The code host has a repo of that name that was not made for the Product. Choose another name.',
  },
  'repo-not-created': {
    code: 'conflict',
    help: 'The service has not created the repo of the Product yet. Wait, or retry its creation if it failed.',
  },
  'scaffold-not-retryable': { code: 'conflict', help: 'Only a failed creation of a Product’s repo can be retried.' },
  'commit-already-released': { code: 'conflict', help: 'An existing Release already contains the commit.' },
  'domain-taken': { code: 'conflict', help: 'Another org has claimed the domain, or a domain that overlaps with it.' },
  'cluster-in-use': {
    code: 'conflict',
    help: 'Zones run in the workload cluster. Remove them with `removeZone` first.',
  },
  'cloud-account-in-use': {
    code: 'conflict',
    help: 'The installation signs in to a workload cluster with the cloud account. A platform admin can replace it there.',
  },
  'installation-in-use': {
    code: 'conflict',
    help: 'Zones or domains use the setting of the installation. Remove those that `detail` names first.',
  },
  'cluster-from-environment': {
    code: 'conflict',
    help: 'The operator configured the workload cluster with WORKLOAD_CLUSTERS, and can change it there.',
  },
  'registry-in-use': {
    code: 'conflict',
    help: 'The registry holds the images of Products. Replace its credentials, or delete the Products first.',
  },
  'domain-in-use': { code: 'conflict', help: 'A zone has an address under the domain. Remove the address first.' },
  'dns-record-exists': {
    code: 'conflict',
    help: 'The name has a DNS record that the service did not create. Choose another name.',
  },
  'backup-key-missing': {
    code: 'conflict',
    help: 'Backups are encrypted for a recovery key, and there is none. Create it with `putBackupKey`.',
  },
  'backup-in-progress': { code: 'conflict', help: 'A backup is already in progress. Wait until it finishes.' },
  'restore-in-progress': {
    code: 'conflict',
    help: 'A backup is being restored, so nothing can be changed. Wait until the restore finishes.',
  },
  'restore-not-ready': {
    code: 'conflict',
    help: 'The restore is not ready to start, or the digest does not match its plan. Read it again.',
  },
  'dns-lookup-failed': { code: 'conflict', help: 'The DNS servers did not answer. Retry later.' },
  invalid: { code: 'invalid', help: 'The request is well formed, but a value is not allowed.' },
  'invalid-license': {
    code: 'invalid',
    help: 'The license is malformed or its signature does not verify. Copy the whole line that the vendor sent.',
  },
  'recovery-key-wrong': {
    code: 'invalid',
    help: 'The recovery key does not decrypt the archive. Send the key that was shown when backups were set up.',
  },
  'archive-refused': {
    code: 'invalid',
    help: 'The archive is damaged, incomplete, forged or of another format. Restore another backup.',
  },
  'repo-required': { code: 'invalid', help: 'The Product has no repo. Add one to its `spec.repos`.' },
  'issue-required': { code: 'invalid', help: 'The run has no issue to comment on. Start it on an issue.' },
  'pull-request-missing': {
    code: 'invalid',
    help: 'The pull request of the run no longer exists. Start the run again.',
  },
  'zone-missing': { code: 'invalid', help: 'The Product does not have the zone. Add the zone, or cancel the Release.' },
  'expired-page': {
    code: 'invalid',
    help: 'The `continue` token has expired or belongs to another list. List again from the first page.',
  },
  'model-setting-invalid': {
    code: 'invalid',
    help: 'The model provider rejected a test request with these settings. `errors` names the wrong setting.',
  },
  'cluster-setting-invalid': {
    code: 'invalid',
    help: 'The cluster does not accept these settings. `errors` names the wrong one.',
  },
  'registry-setting-invalid': {
    code: 'invalid',
    help: 'The registry does not accept these settings. `errors` names the wrong one.',
  },
  'destination-not-allowed': {
    code: 'invalid',
    help: 'The service connects only to public addresses, and encrypted. An operator can list others in ALLOWED_INSIDE_ADDRESSES.',
  },
  'identity-provider-unusable': {
    code: 'invalid',
    help: 'The issuer is not an OpenID provider that the service can use. Check the URL; the detail names the cause.',
  },
  'model-request-rejected': {
    code: 'invalid',
    help: 'The model provider rejected the request. Check the base URL, and that the model supports tools.',
  },
  'manifest-code-rejected': {
    code: 'invalid',
    help: 'The code host rejected the code. Start connecting the org again.',
  },
  'request-in-progress': {
    code: 'conflict',
    help: 'A request with the same `Idempotency-Key` is still in progress. Retry after the given time.',
  },
  'idempotency-key-reused': {
    code: 'invalid',
    help: 'The `Idempotency-Key` was used for a different request, or with another token or session. Use a new key.',
  },
  'too-large': { code: 'too-large', help: 'The body exceeds the size limit of the operation.' },
  'too-many-requests': { code: 'too-many-requests', help: 'A rate limit was reached. Retry after the given time.' },
  'request-limit-reached': {
    code: 'too-many-requests',
    help: 'The person sent too many requests in this minute. The header `RateLimit` tells when to continue.',
  },
  'sign-in-throttled': {
    code: 'too-many-requests',
    help: 'Too many failed sign-in attempts for the account, or from the address. Retry after the given time.',
  },
  'quota-reached': {
    code: 'too-many-requests',
    help: 'The org or person has reached a quota. Delete one, or ask an operator to raise the setting that the detail names.',
  },
  'start-limit-reached': {
    code: 'too-many-requests',
    help: 'The target reached the limit of runs per hour. Wait, or raise the limit with `putAgentLimits`.',
  },
  'sign-in-busy': {
    code: 'unavailable',
    help: 'Too many passwords are being verified at once. Retry after the given time.',
  },
  unavailable: { code: 'unavailable', help: 'A system that the operation needs cannot be reached.' },
  'intake-overloaded': {
    code: 'unavailable',
    help: 'The service receives too many unverified deliveries at once. Send the delivery again after the given time.',
  },
  'delivery-incomplete': {
    code: 'unavailable',
    help: 'The body of the delivery did not arrive in time. Send the delivery again.',
  },
  'store-unusable': {
    code: 'unavailable',
    help: 'The file of the store cannot be used. An operator has to fix the cause that the detail names.',
  },
  'cluster-unavailable': { code: 'unavailable', help: 'The API server of the cluster cannot be reached. Retry later.' },
  'cluster-access-denied': {
    code: 'unavailable',
    help: 'The service account lacks a permission in the cluster. An operator has to grant it.',
  },
  'blob-store-unavailable': { code: 'unavailable', help: 'The bucket for large files cannot be used. Retry later.' },
  'sandbox-unavailable': {
    code: 'unavailable',
    help: 'The worker has no sandbox to run commands in. An operator has to install one.',
  },
  'logs-unavailable': { code: 'unavailable', help: 'The cluster did not return the logs of the zone. Retry later.' },
  'metrics-unavailable': {
    code: 'unavailable',
    help: 'Prometheus or Alertmanager did not answer. Retry later.',
  },
  'model-provider-unavailable': {
    code: 'unavailable',
    help: 'The model provider cannot be reached or is overloaded. Retry later.',
  },
  'registry-unavailable': {
    code: 'unavailable',
    help: 'The registry is overloaded or down. Retry later.',
  },
  'identity-provider-unavailable': {
    code: 'unavailable',
    help: 'The identity provider cannot be reached, or does not accept this installation. Retry later, or sign in with a password.',
  },
  'codehost-unreachable': { code: 'unavailable', help: 'The code host cannot be reached. Retry later.' },
  'workflow-server-unreachable': {
    code: 'unavailable',
    help: 'The request may or may not have been applied. Read the resource again before retrying.',
  },
  'workflow-not-responding': {
    code: 'unavailable',
    help: 'The workflow server or its workers are too slow or down. The request may or may not have been applied. Read the resource again before retrying.',
  },
  'telemetry-not-configured': {
    code: 'unavailable',
    help: 'The installation has no source of pod logs or metrics. An operator configures one.',
  },
  'model-provider-incomplete': {
    code: 'forbidden',
    help: 'The stored settings of the model provider are incomplete. Save them again.',
  },
} as const satisfies Record<string, { code: ErrorCode; help: string }>;
export type Reason = keyof typeof reasons;

/** One wrong field; `pointer` is a JSON pointer into the request body, or `?name` for a query parameter. */
export type FieldError = { pointer: string; detail: string };

/** A page of the web UI by its path, such as that of the resource which a conflict is with. */
export type PageLink = { title: string; url: string };

/** A refusal. Its message says what failed, on which resource and how to fix it, and reaches the caller unchanged. */
export class ServiceError extends Error {
  readonly reason: Reason;
  readonly code: ErrorCode;
  readonly errors: FieldError[];
  readonly links: PageLink[];
  /** The time to retry; `too-many-requests` and `unavailable` have a default. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: Reason,
    message: string,
    options: { errors?: FieldError[]; links?: PageLink[]; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.name = 'ServiceError';
    this.reason = reason;
    this.code = reasons[reason].code;
    this.errors = options.errors ?? [];
    this.links = options.links ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function notFound(what: string, name: string, where: string): ServiceError {
  return new ServiceError('not-found', `No ${what} named "${name}" in ${where}.`);
}

export function invalid(message: string, errors: FieldError[] = []): ServiceError {
  return new ServiceError('invalid', message, { errors });
}

/** Ignores a `not-found` error in a `catch`, and rethrows any other. */
export function ignoreNotFound(error: unknown): void {
  if (!isServiceError(error, 'not-found')) throw error;
}

/** Ignores a `conflict` error of a create in a `catch`, and rethrows any other. */
export function ignoreAlreadyExists(error: unknown): void {
  if (!isServiceError(error, 'conflict')) throw error;
}

export function isServiceError(error: unknown, code?: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}

/** Finds the code of a connection error or of its causes, such as ECONNREFUSED, which no server can choose. */
export function findConnectionErrorCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && /^[A-Z_\d]{1,60}$/.test(at.code)) return at.code;
  return undefined;
}

export const isReason = (value: string | null | undefined): value is Reason =>
  typeof value === 'string' && Object.hasOwn(reasons, value);
