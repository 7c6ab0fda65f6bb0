import { z } from 'zod';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import {
  type MergeRequirements,
  isProtected,
  protectBranch,
  readRequirements,
  unprotectBranch,
} from '../protection/branch-rules.ts';
import { findBranchSha, repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { getAccessibleRepository, getPathParam, readBody } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const ProtectionBody = z.object({
  required_status_checks: z
    .object({
      strict: z.boolean().default(false),
      contexts: z.array(z.string()).default([]),
      checks: z.array(z.object({ context: z.string() })).default([]),
    })
    .nullish(),
  required_pull_request_reviews: z
    .object({
      required_approving_review_count: z.int().min(0).max(6).default(1),
      dismiss_stale_reviews: z.boolean().default(false),
    })
    .nullish(),
  enforce_admins: z.boolean().nullish(),
});
const Rule = z.object({ type: z.string(), parameters: z.looseObject({}).default({}) });
const RulesetBody = z.object({
  name: z.string().min(1),
  enforcement: z.enum(['active', 'disabled', 'evaluate']),
  conditions: z.object({ ref_name: z.object({ include: z.array(z.string()) }) }),
  rules: z.array(Rule),
});
const CheckParameters = z.object({
  required_status_checks: z.array(z.object({ context: z.string() })).default([]),
  strict_required_status_checks_policy: z.boolean().default(false),
});
const ReviewParameters = z.object({
  required_approving_review_count: z.int().default(0),
  dismiss_stale_reviews_on_push: z.boolean().default(false),
});
const HookBody = z.object({ enforcement: z.enum(['enabled', 'disabled', 'testing']) });

const adminAccess = { permission: 'administration', level: 'write' } as const;

/**
 * A protected branch accepts no push of an app, and merges only what has passed the required checks and reviews. Rules
 * come from a branch protection rule, from a ruleset, or from both.
 */
export function protectionRoutes(rest: RestApi, host: Host): void {
  const path = '/v3/repos/:owner/:repo/branches/:branch{.+}/protection';
  const getBranch = (c: RestContext, repository: Repository) => {
    const name = getPathParam(c, 'branch');
    if (findBranchSha(host, repository.id, name) === undefined) throw new HttpError(404, 'Branch not found');
    return { repositoryId: repository.id, name };
  };
  rest.put(path, async (c) => {
    const repository = getAccessibleRepository(host, c, adminAccess);
    const branch = getBranch(c, repository);
    const body = await readBody(c, ProtectionBody, 'Branch');
    const enforceAdmins = body.enforce_admins === true;
    protectBranch(host, branch, { source: 'protection', enforceAdmins, ...toRequirements(body) });
    return c.json({ url: `${repositoryApiUrl(host, repository)}/branches/${branch.name}/protection` });
  });
  rest.delete(path, (c) => {
    const repository = getAccessibleRepository(host, c, adminAccess);
    unprotectBranch(host, getBranch(c, repository), 'protection');
    return c.body(null, 204);
  });
  rulesetRoutes(rest, host);
  /** Only GitHub Enterprise Server has pre-receive hooks; the emulated one accepts every push. */
  rest.patch('/v3/repos/:owner/:repo/pre-receive-hooks/:id', async (c) => {
    const repository = getAccessibleRepository(host, c, adminAccess);
    const { enforcement } = await readBody(c, HookBody, 'Hook');
    host.database.update('repositories', repository.id, { preReceiveHooks: enforcement === 'enabled' ? 1 : 0 });
    return c.json({ id: 1, name: 'Check', enforcement });
  });
}

function rulesetRoutes(rest: RestApi, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/rulesets', async (c) => {
    const repository = getAccessibleRepository(host, c, adminAccess);
    const { name, enforcement, conditions, rules } = await readBody(c, RulesetBody, 'Ruleset');
    for (const ref of enforcement === 'active' ? conditions.ref_name.include : [])
      protectBranch(
        host,
        {
          repositoryId: repository.id,
          name: ref === '~DEFAULT_BRANCH' ? repository.defaultBranch : ref.replace('refs/heads/', ''),
        },
        { source: 'ruleset', enforceAdmins: true, ...combineRules(rules) },
      );
    return c.json({ id: 1, name, enforcement, conditions, rules }, 201);
  });
  rest.get('/v3/repos/:owner/:repo/rules/branches/:branch{.+}', (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'metadata', level: 'read' });
    const branch = { repositoryId: repository.id, name: getPathParam(c, 'branch') };
    return c.json(toRulesJson(readRequirements(host, branch, 'ruleset')));
  });
}

function toRequirements(body: z.output<typeof ProtectionBody>): MergeRequirements {
  const { required_status_checks: checks, required_pull_request_reviews: reviews } = body;
  return {
    requiredChecks: [
      ...new Set([...(checks?.contexts ?? []), ...(checks?.checks ?? []).map(({ context }) => context)]),
    ],
    strict: checks?.strict ?? false,
    requiredReviews: reviews?.required_approving_review_count ?? 0,
    dismissStale: reviews?.dismiss_stale_reviews ?? false,
  };
}

function combineRules(rules: z.output<typeof Rule>[]): MergeRequirements {
  const find = (type: string): object => rules.find((rule) => rule.type === type)?.parameters ?? {};
  const checks = CheckParameters.parse(find('required_status_checks'));
  const reviews = ReviewParameters.parse(find('pull_request'));
  return {
    requiredChecks: checks.required_status_checks.map(({ context }) => context),
    strict: checks.strict_required_status_checks_policy,
    requiredReviews: reviews.required_approving_review_count,
    dismissStale: reviews.dismiss_stale_reviews_on_push,
  };
}

function toRulesJson({ requiredChecks, strict, requiredReviews, dismissStale }: MergeRequirements): object[] {
  const source = { ruleset_source_type: 'Repository', ruleset_id: 1 };
  const checks = {
    type: 'required_status_checks',
    ...source,
    parameters: {
      required_status_checks: requiredChecks.map((context) => ({ context })),
      strict_required_status_checks_policy: strict,
    },
  };
  const reviews = {
    type: 'pull_request',
    ...source,
    parameters: {
      required_approving_review_count: requiredReviews,
      dismiss_stale_reviews_on_push: dismissStale,
    },
  };
  return [...(requiredChecks.length > 0 ? [checks] : []), ...(requiredReviews > 0 ? [reviews] : [])];
}

/** The part of a branch that anyone who can read the repository sees; rulesets are not part of it. */
export function toProtectionJson(host: Host, repository: Repository, name: string) {
  const { requiredChecks } = readRequirements(host, { repositoryId: repository.id, name }, 'protection');
  return {
    enabled: isProtected(host, repository.id, name),
    required_status_checks: {
      enforcement_level: requiredChecks.length > 0 ? 'non_admins' : 'off',
      contexts: requiredChecks,
      checks: requiredChecks.map((context) => ({ context, app_id: null })),
    },
  };
}
