import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { commitLogoStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const logo = { repo: 'acme/hello', path: 'logo.svg', type: 'image/svg+xml' as const };

describeWithTemporal('commitLogo', () => {
  it('returns the committed logo, and fails with the refusal of the code host', async () => {
    let isProtected = true;
    const commitLogo = async () => {
      if (isProtected) throw new ServiceError('forbidden', 'The branch main is protected.');
      return { ...logo, hash: 'h1', commit: 'c1' };
    };
    await withWorkflowHarness({ commitLogo }, async (harness) => {
      const start = commitLogoStart({
        org: harness.taskQueue,
        product: 'hello',
        repo: 'acme/hello',
        hash: 'h1',
        type: 'image/svg+xml',
      });
      await expect((await harness.start(start)).result()).rejects.toMatchObject({
        cause: { cause: { type: 'forbidden', message: 'The branch main is protected.' } },
      });
      isProtected = false;
      expect(await (await harness.start(start)).result()).toMatchObject({ ...logo, commit: 'c1' });
    });
  });
});
