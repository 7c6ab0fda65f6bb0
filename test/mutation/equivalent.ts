import type { Mutant } from './list-mutants.ts';

/** A mutant that no test can see, and why. It is found again by its text, because lines move. */
type Equivalent = Pick<Mutant, 'file' | 'code' | 'operator' | 'replacement'> & { reason: string };

const equivalents: readonly Equivalent[] = [
  {
    file: 'src/rules/access/session-lifetime.ts',
    code: "return now.getTime() - Math.max(startedAt, Date.parse(lastUsedAt ?? '') || 0) >= sessionIdleMs;",
    operator: 'off by one',
    replacement: '1',
    reason: 'Every sign-in is later than both.',
  },
  {
    file: 'src/store/sqlite/list-changes-after.ts',
    code: '.all(labels ? 1 : 0, version, toKindColumn(kind), namespace ?? null, name ?? null, changesPerRead);',
    operator: 'off by one',
    replacement: '1',
    reason: 'Every object matches when no labels are given, so those before a change only cost time.',
  },
  {
    file: 'src/rules/products/pick-logo-colours.ts',
    code: 'const [ink, accent] = colourPairs[seed % colourPairs.length] ?? colourPairs[0];',
    operator: 'off by one',
    replacement: '1',
    reason: 'The remainder is always an index of the list; the default satisfies the compiler.',
  },
  {
    file: 'src/store/sqlite.ts',
    code: 'unsubscribe();',
    operator: 'removed call',
    replacement: ';',
    reason: 'The process goes on polling for the writes of others without a watch, which costs time only.',
  },
  {
    file: 'src/rules/products/draw-logo.ts',
    code: "const letters = words.slice(0, 2).map((word) => /^./u.exec(word)?.[0] ?? '');",
    operator: 'dropped default',
    replacement: '/^./u.exec(word)?.[0]',
    reason: 'Every word has a first letter.',
  },
  {
    file: 'src/rules/intake/duplicate-events.ts',
    code: 'const isRepeated = cause.event === eventName(event) && cause.label === event.label;',
    operator: 'dropped condition',
    replacement: '(cause.label === event.label)',
    reason: 'Only a label event has a label, so the events are the same when their labels are.',
  },
  {
    file: 'src/rules/scheduling/due-times.ts',
    code: 'if (at > after.getTime()) return at;',
    operator: 'moved boundary',
    replacement: '(at >= after.getTime())',
    reason: 'The library returns only local times after that of `after`, and none of them is the same instant.',
  },
  {
    file: 'src/rules/scheduling/due-times.ts',
    code: 'const findPrevious = (at: number): Date | undefined => utcCron.previousRuns(1, new Date(at))[0];',
    operator: 'off by one',
    replacement: '2',
    reason: 'The first of two earlier times is the same.',
  },
  {
    file: 'api/auth/authenticate.ts',
    code: "const last = Math.max(recorded.get(metadata.name) ?? 0, Date.parse(status?.lastUsedAt ?? '') || 0);",
    operator: 'off by one',
    replacement: '1',
    reason: 'Every request is hours later than both.',
  },
  {
    file: 'api/auth/authenticate.ts',
    code: 'isToken(token) && (await reads.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) }));',
    operator: 'dropped condition',
    replacement: '((await reads.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) })))',
    reason: 'A text that is no token names no stored one; the check only spares a read.',
  },
  {
    file: 'api/auth/require-role.ts',
    code: "return c.req.header('transfer-encoding') === undefined && /^\\d{1,12}$/.test(length) && Number(length) <= maxSize;",
    operator: 'moved boundary',
    replacement: '(Number(length) < maxSize)',
    reason: 'A body of exactly the limit is counted then, and fits.',
  },
  {
    file: 'api/me/topic-view.ts',
    code: 'texts.set(representation, text);',
    operator: 'removed call',
    replacement: ';',
    reason: 'The text is decoded again; keeping it only spares time.',
  },
  {
    file: 'api/me/topics.ts',
    code: '.min(1)',
    operator: 'off by one',
    replacement: '2',
    reason: 'A text of one character is no topic either.',
  },
  {
    file: 'api/me/topics.ts',
    code: 'const known = kindNames.find((candidate) => candidate === kind);',
    operator: '.find to .findLast',
    replacement: 'kindNames.findLast((candidate) => candidate === kind)',
    reason: 'The names of the kinds are unique.',
  },
  {
    file: 'api/intake/match-webhook-secret.ts',
    code: 'all.length <= 2 * candidatesMax && all.length * body.length <= inlineHashBytesMax;',
    operator: 'off by one',
    replacement: '3',
    reason: 'Both ways to search find the same org.',
  },
  {
    file: 'api/intake/read-unverified-body.ts',
    code: "hold(Number(request.headers.get('content-length') ?? 0));",
    operator: 'off by one',
    replacement: '1',
    reason: 'The first part of the body is larger.',
  },
  {
    file: 'api/http/open-event-stream.ts',
    code: 'const timerMsMax = 2 ** 31 - 1;',
    operator: 'off by one',
    replacement: '3',
    reason: 'A timer that is too long runs at once, and its check passes.',
  },
  {
    file: 'api/http/open-event-stream.ts',
    code: 'const timerMsMax = 2 ** 31 - 1;',
    operator: 'off by one',
    replacement: '2',
    reason: 'No credential expires in exactly that millisecond.',
  },
  {
    file: 'api/http/open-event-stream.ts',
    code: 'return delayMs < timerMsMax ? setTimeout(check, delayMs) : undefined;',
    operator: 'moved boundary',
    replacement: '(delayMs <= timerMsMax)',
    reason: 'No credential expires in exactly that millisecond.',
  },
  {
    file: 'api/http/pagination.ts',
    code: 'if (first.length === count && last !== undefined && compare(item, last) >= 0) continue;',
    operator: 'removed guard',
    replacement: ';',
    reason: 'The item would be removed again at once; the guard only spares time.',
  },
  {
    file: 'api/http/pagination.ts',
    code: 'if (first.length === count && last !== undefined && compare(item, last) >= 0) continue;',
    operator: 'moved boundary',
    replacement: '(compare(item, last) > 0)',
    reason: 'No two items have the same position.',
  },
  {
    file: 'api/http/pagination.ts',
    code: 'if (compare(first[middle] as T, item) < 0) low = middle + 1;',
    operator: 'moved boundary',
    replacement: '(compare(first[middle] as T, item) <= 0)',
    reason: 'No two items have the same position.',
  },
  {
    file: 'api/http/quota-guard.ts',
    code: 'const left = (this.#pending.get(key) ?? 1) - 1;',
    operator: 'off by one',
    replacement: '2',
    reason: 'A creation that ends was counted when it began, so the default is never used.',
  },
  {
    file: 'api/reference/common-parts.ts',
    code: '...(required && { required }),',
    operator: 'dropped condition',
    replacement: '({ required })',
    reason: 'A header that does not say `required` is not required.',
  },
  {
    file: 'api/reference/reference-page.ts',
    code: "const byTag = Map.groupBy(listOperations(document), ({ operation }) => operation.tags?.[0] ?? '');",
    operator: 'dropped default',
    replacement: 'operation.tags?.[0]',
    reason: 'Every operation has a tag.',
  },
  {
    file: 'api/reference/to-curl.ts',
    code: 'const filled = own',
    operator: 'dropped .filter()',
    replacement: 'own',
    reason: 'Only a parameter of the path has a placeholder in it.',
  },
  {
    file: 'api/reference/to-example.ts',
    code: "byFormat[format ?? ''] ?? (minimum !== undefined && minimum > 1 ? minimum : byType[[type].flat()[0] ?? '']) ?? name",
    operator: 'moved boundary',
    replacement: '(minimum >= 1)',
    reason: 'The example of a number is 1 anyway.',
  },
  {
    file: 'src/store/kubernetes/object-index.ts',
    code: 'if (names?.size === 0) index.byTerm.delete(term);',
    operator: 'removed branch',
    replacement: ';',
    reason: 'An empty set is the same as none; it only frees memory.',
  },
  {
    file: 'src/store/deep-freeze.ts',
    code: "if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;",
    operator: 'dropped condition',
    replacement: "(typeof value !== 'object' || value === null)",
    reason: 'Freezing a value again changes nothing; it only takes time.',
  },
  {
    file: 'api/environments/zone.ts',
    code: 'if (spec.delivery.zones.every(({ name }) => isRunning(name))) return [];',
    operator: 'removed guard',
    replacement: ';',
    reason: 'A zone that runs something offers no Release; the guard only saves a read.',
  },
  {
    file: 'api/environments/zone.ts',
    code: "if (!release || currentPromotion?.phase !== 'WaitingForApproval') return undefined;",
    operator: 'dropped condition',
    replacement: '(!release)',
    reason: 'A zone that does not wait has no action to approve; the condition only saves a read.',
  },
  {
    file: 'api/environments/zone.ts',
    code: '...(waitingFor && { waitingFor }),',
    operator: 'dropped condition',
    replacement: '({ waitingFor })',
    reason: 'JSON leaves out a field that is undefined.',
  },
  {
    file: 'api/environments/zone-details.ts',
    code: 'replicas: status.appliedSettings?.replicas ?? spec?.replicas ?? 1,',
    operator: 'off by one',
    replacement: '2',
    reason: 'Only 0 replicas are explained.',
  },
  {
    file: 'api/changes/get-run-diff.ts',
    code: "sizeCalculation: ({ files }) => files.reduce((sum, { path, patch = '' }) => sum + path.length + patch.length, 1),",
    operator: 'off by one',
    replacement: '2',
    reason: 'The cache only needs a size that is not 0.',
  },
  {
    file: 'api/changes/read-rounds.ts',
    code: "const ofStep = (partsByStep.get(step) ?? []).filter(([, turn]) => /^\\d+$/.test(turn ?? ''));",
    operator: 'dropped .filter()',
    replacement: '(partsByStep.get(step) ?? [])',
    reason: 'Only turns have parts with these names; evidence files are named by their hash.',
  },
  {
    file: 'api/changes/read-turns.ts',
    code: 'return { items, ...(last !== undefined && remaining.length > page.length && { continue: String(last) }) };',
    operator: 'dropped condition',
    replacement: '(remaining.length > page.length)',
    reason: 'A page has at least one turn, so it is empty only when nothing remains.',
  },
  {
    file: 'api/changes/run-view.ts',
    code: "const isWaiting = run.status?.steps.some(({ phase }) => phase === 'Waiting') ?? false;",
    operator: 'flipped boolean',
    replacement: 'true',
    reason: 'A run without a status has no step to approve.',
  },
  {
    file: 'api/changes/run-view.ts',
    code: "const isWaiting = run.status?.steps.some(({ phase }) => phase === 'Waiting') ?? false;",
    operator: 'dropped default',
    replacement: "run.status?.steps.some(({ phase }) => phase === 'Waiting')",
    reason: 'An undefined value has the same effect as false.',
  },
  {
    file: 'api/changes/start-run.ts',
    code: 'if (requestedTarget === undefined && isScheduled(spec) && product.spec.repos.length > 0) return undefined;',
    operator: 'off by one',
    replacement: '1',
    reason: 'The only repo of a Product is never ambiguous.',
  },
  {
    file: 'api/releases/release-view.ts',
    code: 'const isWaiting = listZonesToApprove(release).length > 0;',
    operator: 'moved boundary',
    replacement: '(listZonesToApprove(release).length >= 0)',
    reason: 'A Release that does not wait has no action to approve; the condition only saves a read.',
  },
  {
    file: 'api/releases/read-comparison.ts',
    code: 'const behind = behindBy > 0 ? await host.compareCommits(to.repo, to.commit, from.commit) : undefined;',
    operator: 'moved boundary',
    replacement: '(behindBy >= 0)',
    reason: 'A comparison without commits has no contents; the condition only saves a request.',
  },
  {
    file: 'api/find/find-indexes.ts',
    code: 'this.#issueEntries.set(issues, byProduct.set(source.product, built));',
    operator: 'removed call',
    replacement: ';',
    reason: 'The entries of unchanged issues are built again; keeping them only saves time.',
  },
  {
    file: 'api/zone-access/zone-sessions.ts',
    code: 'if (!isToken(text)) return undefined;',
    operator: 'removed guard',
    replacement: ';',
    reason: 'The store has no token for any other text; the guard only saves a read.',
  },
  {
    file: 'activities/changes/change-activities.ts',
    code: 'if (targetPullRequest && !isOwnBranch) return await host.getPullRequest(repo, targetPullRequest.number);',
    operator: 'dropped condition',
    replacement: '(!isOwnBranch)',
    reason: 'A run without a target pull request always has a branch of its own.',
  },
  {
    file: 'activities/domains/domain-status.ts',
    code: 'authoritative: status?.checks?.ownership.authoritative ?? false,',
    operator: 'flipped boolean',
    replacement: 'true',
    reason: 'Without checks there is no verdict either, so it does not matter who gave it.',
  },
  {
    file: 'src/store/kubernetes/informer.ts',
    code: 'for (let attempt = 0; !closed.aborted; attempt += 1) {',
    operator: 'off by one',
    replacement: '1',
    reason: 'Only the delay before the next attempt depends on the number.',
  },
  {
    file: 'src/store/kubernetes/informer.ts',
    code: 'for (let attempt = 0; !closed.aborted; attempt += 1) {',
    operator: 'off by one',
    replacement: '2',
    reason: 'Only the delay before the next attempt depends on the number.',
  },
  {
    file: 'src/store/kubernetes/watch-changes.ts',
    code: 'for (let attempt = 0; !signal.aborted; attempt += 1) {',
    operator: 'off by one',
    replacement: '1',
    reason: 'Only the delay before the next attempt depends on the number.',
  },
  {
    file: 'src/store/kubernetes/watch-changes.ts',
    code: 'for (let attempt = 0; !signal.aborted; attempt += 1) {',
    operator: 'off by one',
    replacement: '2',
    reason: 'Only the delay before the next attempt depends on the number.',
  },
  {
    file: 'src/store/kubernetes/watch-changes.ts',
    code: 'if (signal.aborted) return;',
    operator: 'removed guard',
    replacement: ';',
    reason: 'The loop ends at its next turn, which begins without a delay.',
  },
  {
    file: 'src/store/kubernetes/namespace-access.ts',
    code: 'if (performance.now() > deadline || !(await ensureBound(decodeURIComponent(namespace)))) throw error;',
    operator: 'moved boundary',
    replacement: '(performance.now() >= deadline)',
    reason: 'No attempt ends at exactly that time.',
  },
  {
    file: 'src/store/kubernetes/object-index.ts',
    code: 'return lists.reduce((least, list) => (list.size < least.size ? list : least), index.names);',
    operator: 'swapped branches',
    replacement: '(list.size < least.size ? least : list)',
    reason: 'Every list has the selected objects; the smallest one only saves time.',
  },
  {
    file: 'src/store/kubernetes/object-index.ts',
    code: 'return lists.reduce((least, list) => (list.size < least.size ? list : least), index.names);',
    operator: 'moved boundary',
    replacement: '(list.size <= least.size)',
    reason: 'Every list has the selected objects; the smallest one only saves time.',
  },
  {
    file: 'src/store/kubernetes/informer.ts',
    code: 'while (first > 0 && (this.#changes[first - 1]?.version ?? 0) > version) first -= 1;',
    operator: 'dropped condition',
    replacement: '((this.#changes[first - 1]?.version ?? 0) > version)',
    reason: 'Before the first change there is none, which ends the loop too.',
  },
  {
    file: 'src/store/kubernetes/informer.ts',
    code: 'this.#disconnectedAt = 0;',
    operator: 'off by one',
    replacement: '1',
    reason: 'The cache is only trusted some milliseconds later; until then the API server answers.',
  },
  {
    file: 'activities/environments/check-address.ts',
    code: 'const { status } = await probeUrl(site, { signal: timeout, bodyBytesMax: 0 });',
    operator: 'off by one',
    replacement: '1',
    reason: 'The body is not used.',
  },
  {
    file: 'src/integrations/blobs/directory.ts',
    code: 'await handle.sync();',
    operator: 'removed await',
    replacement: '(handle.sync())',
    reason: 'A file handle waits for its operations when it is closed.',
  },
  {
    file: 'src/integrations/blobs/directory.ts',
    code: 'await file.sync();',
    operator: 'removed await',
    replacement: '(file.sync())',
    reason: 'A file handle waits for its operations when it is closed.',
  },
  {
    file: 'src/integrations/codehost/octokit-etag-cache.ts',
    code: 'let connections = 0;',
    operator: 'off by one',
    replacement: '1',
    reason: 'The number only tells connections apart.',
  },
  {
    file: 'src/integrations/browser/site-proxy.ts',
    code: 'let last = 0;',
    operator: 'off by one',
    replacement: '1',
    reason: 'The number only tells addresses apart.',
  },
  {
    file: 'src/integrations/browser/site-proxy.ts',
    code: 'last = (last % 60_000) + 1;',
    operator: 'off by one',
    replacement: '2',
    reason: 'The number only tells addresses apart.',
  },
  {
    file: 'api/identity/find-or-create-user.ts',
    code: 'return items.find(({ spec }) =>',
    operator: '.find to .findLast',
    replacement:
      'items.findLast(({ spec }) =>\n    spec.identities?.some(({ issuer, subject }) => issuer === key.issuer && subject === key.subject))',
    reason: 'An identity belongs to one user.',
  },
  {
    file: 'api/explain/explain.ts',
    code: '.min(1)',
    operator: 'off by one',
    replacement: '2',
    reason: 'A text of one character is no subject either.',
  },
  {
    file: 'api/http/open-event-stream.ts',
    code: 'if (body.stalledMs >= streamStallMs) return drop();',
    operator: 'moved boundary',
    replacement: '(body.stalledMs > streamStallMs)',
    reason: 'No heartbeat comes in exactly that fraction of a millisecond.',
  },
  {
    file: 'api/http/client-address.ts',
    code: "const right = tail === undefined || tail === '' ? [] : tail.split(':');",
    operator: 'dropped condition',
    replacement: '(tail === undefined)',
    reason: 'What follows "::" there is beyond the first 64 bits.',
  },
  {
    file: 'api/auth/require-role.ts',
    code: 'if (isRead(c)) return true;',
    operator: 'removed guard',
    replacement: ';',
    reason: 'A request of these methods has no body, so that the count of its bytes passes.',
  },
  {
    file: 'api/intake/hash-in-slices.ts',
    code: 'for (let from = 0; from < body.length; from += inlineHashBytesMax) {',
    operator: 'moved boundary',
    replacement: '(from <= body.length)',
    reason: 'An empty slice more does not change a hash.',
  },
  {
    file: 'api/releases/read-comparison.ts',
    code: "const merge = spec.steps.find(({ type }) => type === 'merge');",
    operator: '.find to .findLast',
    replacement: "spec.steps.findLast(({ type }) => type === 'merge')",
    reason: 'An AgentWorkflow with two merge steps is invalid.',
  },
  {
    file: 'src/store/sqlite/list-page.ts',
    code: '.all(...all.flatMap(({ values }) => values), limit === undefined ? -1 : limit + 1);',
    operator: 'off by one',
    replacement: '2',
    reason: 'One more row than the page tells that there is a next page; two tell it as well.',
  },
  {
    file: 'src/store/page-token.ts',
    code: '.slice(0, 16);',
    operator: 'off by one',
    replacement: '1',
    reason: 'The other characters of the digest tell the tokens of lists apart as well.',
  },
  {
    file: 'src/store/sqlite/list-page.ts',
    code: "if (path === 'metadata.name') return { sql: 'name = ?', values: [value] };",
    operator: 'removed guard',
    replacement: ';',
    reason: 'The object has the same name as its row; the column only saves time.',
  },
  {
    file: 'src/integrations/browser/launch-isolated.ts',
    code: 'kill();',
    operator: 'removed call',
    replacement: ';',
    reason: 'An error is thrown only once the browser has ended, and a process that has ended is not killed.',
  },
  {
    file: 'src/reconcile/sign-in-by-cloud.ts',
    code: 'const outcome = await run(spec, { token, session: `delivery-clusters-${org}`.slice(0, 64) });',
    operator: 'dropped .slice()',
    replacement: '`delivery-clusters-${org}`',
    reason: 'The name of an org has at most 40 characters, so the text is never longer than 64.',
  },
  {
    file: 'src/rules/find/rank-entries.ts',
    code: 'const total = scores.reduce((sum, one) => sum + one, 0);',
    operator: 'off by one',
    replacement: '1',
    reason: 'The totals are only compared with each other.',
  },
  {
    file: 'workflows/environments/keep-repository-access.ts',
    code: 'if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;',
    operator: 'dropped condition',
    replacement: '(!(error instanceof ActivityFailure))',
    reason: 'In a cancelled workflow the next wait throws as well, before any command.',
  },
];

/** The order of a list depends on the sign of a comparison only. */
const isComparison = ({ operator, code }: Mutant): boolean => operator === 'off by one' && /\? -1 : 1\b/.test(code);

/** Names of steps, zones and releases are unique, so the first of a name is also the last. */
const isUniqueName = ({ operator, code }: Mutant): boolean =>
  operator === '.find to .findLast' && /\.find\(\((?:\{ name \}\) => name|(\w+)\) => \1\.name) === /.test(code);

/** A zone's queue has each Release once. */
const isUniqueInQueue = ({ file, operator, code }: Mutant): boolean =>
  file.startsWith('workflows/environments/') && operator === '.find to .findLast' && /\bqueue\.find\(/.test(code);

/** A loop resets the flag of a signal before it reads it. */
const isResetFirst = ({ file, operator, code }: Mutant): boolean =>
  file.startsWith('workflows/') &&
  operator === 'flipped boolean' &&
  /^let (hasChanged|isRequested) = false;$/.test(code);

/** JSON leaves out a field that is undefined, and everything in `api` and for the API server is written as JSON. */
const isUndefinedField = ({ file, operator, code, replacement }: Mutant): boolean =>
  /^(api|src\/store\/kubernetes)\//.test(file) &&
  operator === 'dropped condition' &&
  /^\(\{ (\w+) \}\)$/.test(replacement) &&
  code.includes(`${replacement.slice(3, -3)} !== undefined && {`);

/** A part of a digest identifies as well when it is longer or begins later. */
const isPartOfDigest = ({ operator, code }: Mutant): boolean =>
  /^(dropped \.slice\(\)|off by one)$/.test(operator) && /\b(hash|createHash)\(.+\.slice\(0, \d+\)/.test(code);

export const isEquivalent = (mutant: Mutant): boolean =>
  isComparison(mutant) ||
  isUndefinedField(mutant) ||
  isUniqueName(mutant) ||
  isUniqueInQueue(mutant) ||
  isResetFirst(mutant) ||
  isPartOfDigest(mutant) ||
  equivalents.some(
    ({ file, code, operator, replacement }) =>
      file === mutant.file &&
      code === mutant.code &&
      operator === mutant.operator &&
      replacement === mutant.replacement,
  );
