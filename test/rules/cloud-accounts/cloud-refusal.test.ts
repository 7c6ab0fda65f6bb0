import { expect, it } from 'vitest';
import { toRefusalFix } from '../../../src/rules/cloud-accounts/cloud-refusal.ts';
import { awsSpec, eksCluster, gkeCluster, googleSpec } from '../../support/servers/test-cloud.ts';

const issuer = 'https://delivery.example.com/api/v1/cloud-identity/oidc';

it.each([
  [awsSpec, 'AccessDenied', '', 'Let the trust policy of arn:aws:iam::123456789012:role/delivery allow'],
  [awsSpec, 'AccessDenied', '', 'provider delivery.example.com/api/v1/cloud-identity/oidc, with the audience'],
  [awsSpec, 'InvalidIdentityToken', 'Incorrect token audience', 'Add the audience sts.amazonaws.com'],
  [awsSpec, 'InvalidIdentityToken', 'No OpenIDConnect provider found in your account', 'Create an identity provider'],
  [awsSpec, 'InvalidIdentityToken', 'Couldn’t retrieve verification key', `Make ${issuer}/.well-known`],
  [awsSpec, 'IDPCommunicationError', '', `Make ${issuer}/.well-known`],
  [awsSpec, 'ExpiredTokenException', '', 'clock'],
  [awsSpec, 'RegionDisabledException', '', 'Activate STS in eu-central-1'],
  [googleSpec, 'invalid_grant', 'The audience in ID Token [x] does not match', 'Allow the audience'],
  [googleSpec, 'invalid_grant', 'rejected by the attribute condition.', "assertion.sub == 'org:acme'"],
  [googleSpec, 'invalid_grant', 'ID Token is stale to sign-in.', 'clock'],
  [googleSpec, 'invalid_grant', 'The issuer in ID Token x does not match', `to ${issuer}.`],
  [googleSpec, 'invalid_grant', 'Error connecting to the given credential’s issuer.', `Make ${issuer}/.well-known`],
  [googleSpec, 'invalid_target', '', 'exists and is enabled'],
  [googleSpec, 'PERMISSION_DENIED', '', 'workloadIdentityPools/delivery/subject/org:acme'],
  [awsSpec, 'Unreachable', '', 'Check the region'],
  [googleSpec, 'Unavailable', '', 'Check again later.'],
  [awsSpec, 'constructor', '', 'Compare the settings'],
])('%j %s %s', (spec, code, message, expected) => {
  expect(toRefusalFix({ code, message }, { spec, issuer, org: 'acme' })).toContain(expected);
});

it.each([
  [
    awsSpec,
    eksCluster,
    'ResourceNotFoundException',
    '',
    'eu-central-1, the region of the cloud account, has a cluster',
  ],
  [awsSpec, eksCluster, 'AccessDeniedException', '', 'Allow eks:DescribeCluster on "zones" to arn:aws:iam::'],
  [awsSpec, eksCluster, 'ClusterNotActive', '', 'Wait until'],
  [googleSpec, gkeCluster, 'NOT_FOUND', `Not found: ${gkeCluster}.`, `Check that ${gkeCluster} exists.`],
  [googleSpec, gkeCluster, 'NOT_FOUND', 'Gaia id not found', 'Check that the service account'],
  [googleSpec, gkeCluster, 'PERMISSION_DENIED', 'Required "container.clusters.get"', 'roles/container.clusterViewer'],
  [googleSpec, gkeCluster, 'PERMISSION_DENIED', 'Kubernetes Engine API has not been used', 'Enable the Kubernetes'],
  [googleSpec, gkeCluster, 'ClusterNotActive', '', 'Wait until'],
])('%j of the cluster %s: %s %s', (spec, cluster, code, message, expected) => {
  expect(toRefusalFix({ code, message }, { spec, issuer, org: 'acme', cluster })).toContain(expected);
});
