import { expect, it } from 'vitest';
import { createWorkerIdentity } from '../../../src/main/worker/worker-identity.ts';

it('shortens the host name and the bundle hash', () => {
  const { identity, workerDeploymentOptions } = createWorkerIdentity(
    { codePath: '/cache/0123456789abcdef.js' },
    'service-main-6f9d8c7b5d-with-a-long-name-x2k9p',
  );
  expect(identity).toBe(`${process.pid}@d-with-a-long-name-x2k9p`);
  expect(workerDeploymentOptions.version.buildId).toMatch(/-01234567$/);
});
