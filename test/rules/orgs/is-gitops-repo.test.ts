import { expect, it } from 'vitest';
import { isGitopsRepo } from '../../../src/rules/orgs/is-gitops-repo.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { buildResource } from '../build-resource.ts';

it.each([
  ['umbrella/gitops', true],
  ['Acme/GitOps', true],
  ['acme/shop', false],
])('reports whether %s is the gitops repo of an org: %s', (repo, expected) => {
  const orgs = ['acme', 'umbrella'].map((name) =>
    buildResource(OrganizationKind, { spec: { codehostAccount: name, gitopsRepo: `${name}/gitops` } }),
  );
  expect(isGitopsRepo(repo, orgs)).toBe(expected);
});
