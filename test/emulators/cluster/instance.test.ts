import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startInstance } from '../../../src/emulators/cluster/instance.ts';
import { LogFile } from '../../../src/emulators/cluster/log-file.ts';
import { unconfinedSandbox } from '../../../src/integrations/sandbox/unconfined-sandbox.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('starts no app without a sandbox, and says why', async () => {
  const folder = await createScratchFolder();
  const image = { rootfs: folder, startCommand: 'node .' };
  const logFile = new LogFile(join(folder, 'app.log'));
  const request = { sandbox: unconfinedSandbox(), image, name: 'shop', environment: {}, volumes: [], logFile };
  await expect(startInstance(request, AbortSignal.timeout(10_000))).rejects.toThrow(
    'Apps cannot run without a sandbox, because each of them needs files and a port of its own.',
  );
});
