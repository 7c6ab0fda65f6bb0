import { expect, it } from 'vitest';
import { CloudAccountSpec } from '../../../src/rules/cloud-accounts/kinds.ts';
import { awsSpec, googleSpec } from '../../support/servers/test-cloud.ts';

const listIssues = (spec: object): string[] =>
  CloudAccountSpec.safeParse(spec).error?.issues.map(({ path, message }) => `${path.join('/')} ${message}`) ?? [];

it('has the fields of its provider, and no others', () => {
  expect([listIssues(awsSpec), listIssues(googleSpec)]).toEqual([[], []]);
  const { region, ...withoutRegion } = awsSpec;
  expect(listIssues(withoutRegion)).toEqual(['region is missing']);
  const { serviceAccount, ...withoutAccount } = googleSpec;
  expect(listIssues(withoutAccount)).toEqual(['serviceAccount is missing']);
  expect(listIssues({ ...googleSpec, region })).toEqual(['region does not apply to the provider "google"']);
  expect(listIssues({ ...awsSpec, serviceAccount })).toEqual(['serviceAccount does not apply to the provider "aws"']);
});

it('has a role of the partition of its region', () => {
  expect(listIssues({ ...awsSpec, region: 'cn-north-1' })).toEqual([
    expect.stringMatching(/^region is in the partition "aws-cn"/),
  ]);
});
