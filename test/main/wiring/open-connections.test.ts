import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { openStore } from '../../../src/main/wiring/open-connections.ts';

it.runIf(process.platform === 'linux')('names the settings of a store whose folder cannot be created', async () => {
  await expect(openStore(loadConfig({ STORE_PATH: '/proc/absent/store.sqlite' }))).rejects.toThrow(
    /^The folder \/proc\/absent cannot be written \(ENOENT.*\)\. Set another STORE_PATH or DATA_DIR\.$/,
  );
});
