import { fileURLToPath } from 'node:url';
import { ensureGoModule } from './install/ensure-go-module.ts';
import type { Tool, ToolSearch } from './tool.ts';

const temporalServer = {
  folder: fileURLToPath(new URL('../temporal/server', import.meta.url)),
  name: 'temporal-server',
  label: 'the Temporal server',
  expectedDuration: '2 to 3 minutes',
};

/** Returns the Temporal server for one machine. */
export async function ensureTemporalServer(search: ToolSearch): Promise<Tool> {
  return await ensureGoModule(temporalServer, search);
}
