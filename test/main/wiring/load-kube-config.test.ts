import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadKubeConfig } from '../../../src/main/wiring/load-kube-config.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('names KUBECONFIG when its file cannot be read, and quotes nothing of it', async () => {
  const folder = await createScratchFolder();
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('KUBECONFIG', join(folder, 'absent'));
  await expect(loadKubeConfig()).rejects.toThrow(/^KUBECONFIG names a file that cannot be read: ENOENT/);
  const broken = join(folder, 'broken');
  await writeFile(broken, 'users: [{ token: a-secret');
  vi.stubEnv('KUBECONFIG', broken);
  await expect(loadKubeConfig()).rejects.toThrow(
    new Error('KUBECONFIG names a file that cannot be read: it is not a kubeconfig. Set it to a kubeconfig.'),
  );
});
