import { expect, it } from 'vitest';
import type { ApplicationStatus } from '../../../src/kinds/argo-cd.ts';
import { judgeDeployment } from '../../../src/rules/clusters/judge-deployment.ts';

const invalidSpec = {
  type: 'InvalidSpecError',
  message: 'application destination server and namespace invalid: there are no clusters with this name: far',
};

it.each<[string, ApplicationStatus[], string]>([
  ['no zone', [], 'warning'],
  ['a zone that waits', [{}], 'warning'],
  ['a zone that is deployed', [{}, { sync: { status: 'Synced' } }], 'ok'],
  [
    'a zone whose cluster Argo CD does not know',
    [{ sync: { status: 'Synced' } }, { conditions: [invalidSpec] }],
    'failed',
  ],
])('judges a cluster with %s', (_what, statuses, result) => {
  const finding = judgeDeployment(
    'far',
    statuses.map((status) => ({ status })),
  );
  expect(finding.result).toBe(result);
  expect(finding.fix?.endsWith('--name far')).toBe(result === 'ok' ? undefined : true);
});
