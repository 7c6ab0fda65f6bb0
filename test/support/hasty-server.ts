import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { scratchFolder } from './programs.ts';

/** A server that suggests to go on as new after this many events, instead of thousands. */
export async function hastyServer(events: number): Promise<string> {
  const settings = await readTemporalSettings();
  const server = await startTemporalServer({
    executable: inject('temporalExecutable') ?? '',
    settings: {
      ...settings,
      dynamicConfig: { ...settings.dynamicConfig, 'limit.historyCount.suggestContinueAsNew': events },
    },
    logFile: join(await scratchFolder(), 'temporal.log'),
    port: 0,
  });
  onTestFinished(() => server.close());
  return server.address;
}
