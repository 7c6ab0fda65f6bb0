import { join } from 'node:path';
import { ensureGoModule } from '../../src/main/tools/install/ensure-go-module.ts';
import type { Tool, ToolSearch } from '../../src/main/tools/tool.ts';

/** Returns the program that checks dashboards against Grafana's schema. */
export async function ensureDashboardSchema(search: ToolSearch): Promise<Tool> {
  const schema = {
    folder: join(import.meta.dirname, 'dashboard-schema'),
    name: 'dashboard-schema',
    label: 'the schema of dashboards',
    expectedDuration: '1 to 2 minutes',
  };
  return await ensureGoModule(schema, search);
}
