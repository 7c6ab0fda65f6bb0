import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { createScratchFolder } from '../scratch-folder.ts';

/** Starts a server that suggests to continue as new after this number of events instead of thousands. */
export async function startShortHistoryServer(events: number): Promise<string> {
  const settings = await readTemporalSettings();
  const server = await startTemporalServer({
    executable: inject('temporalExecutable') ?? '',
    settings: {
      ...settings,
      dynamicConfig: {
        ...settings.dynamicConfig,
        'limit.historyCount.suggestContinueAsNew': events,
        // By default, an execution waits until the one before is a second old.
        'history.workflowIdReuseMinimalInterval': '1ms',
      },
    },
    logFile: join(await createScratchFolder(), 'temporal.log'),
    port: 0,
  });
  onTestFinished(() => server.close());
  return server.address;
}
