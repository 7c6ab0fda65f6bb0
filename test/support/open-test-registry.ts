import type { OpenRegistry } from '../../src/emulators/cluster/install-packages.ts';
import { openRegistry } from '../../src/main/network/open-registry.ts';

/** Returns the real network of builds, with the registry of this machine. */
export const openTestRegistry = (): OpenRegistry => openRegistry(process.env, { info: () => {} });
